/** Where one can go by name (⌘K) or by two keys, as far as there is such a page. */

interface AnyPlace {
  id: string;
  path: string;
  /** After `g`. */
  key?: string;
}

export const PLACES = [
  { id: "flags", path: "/$organization/$project/flags", key: "f" },
  { id: "segments", path: "/$organization/$project/segments", key: "s" },
  { id: "users", path: "/$organization/$project/users", key: "u" },
  { id: "changes", path: "/$organization/changes", key: "c" },
  { id: "schedule", path: "/$organization/changes/schedule" },
  { id: "history", path: "/$organization/changes/history" },
  { id: "compare", path: "/$organization/$project/compare", key: "o" },
  { id: "audit", path: "/$organization/audit", key: "a" },
  { id: "settings", path: "/$organization/settings", key: "," },
  { id: "members", path: "/$organization/settings/members" },
  { id: "groups", path: "/$organization/settings/groups" },
  { id: "policies", path: "/$organization/settings/policies" },
  { id: "relays", path: "/$organization/settings/relays" },
  { id: "tokens", path: "/$organization/settings/tokens" },
  { id: "profile", path: "/$organization/settings/profile" },
  { id: "security", path: "/$organization/settings/security" },
  { id: "appearance", path: "/$organization/settings/appearance" },
  { id: "environments", path: "/$organization/$project/settings/environments" },
  { id: "connect", path: "/$organization/$project/connect" },
] as const satisfies AnyPlace[];

export type Place = (typeof PLACES)[number];

/** The address of a place, where there is such a page and it is known of which project. */
export function addressOf(
  { path }: { path: string },
  pages: object,
  organization: string,
  project: string | undefined,
): string | undefined {
  if (!(path in pages) || (path.includes("$project") && project === undefined)) return undefined;
  return path.replace("$organization", organization).replace("$project", project ?? "");
}
