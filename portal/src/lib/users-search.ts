/** Which users are shown, as it stands in the address. */
export interface UsersSearch {
  q?: string;
  /** Anywhere in key or name, and not only at their beginning. */
  anywhere?: true;
  /** A panel that is open. */
  upload?: true;
  forget?: true;
}

export function readUsers(search: Record<string, unknown>): UsersSearch {
  const { q, anywhere, upload, forget } = search;
  return {
    ...(q === undefined || q === "" ? {} : { q: String(q) }),
    ...(anywhere ? { anywhere: true } : {}),
    ...(upload ? { upload: true } : {}),
    ...(forget ? { forget: true } : {}),
  };
}
