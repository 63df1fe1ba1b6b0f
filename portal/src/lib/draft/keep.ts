/** Where drafts are kept: the browser's own database, so that a reload or a crash loses nothing. */
import type { Draft } from "./draft";

const DATABASE = "burgee";
const DRAFTS = "drafts";

/** Days after which a draft is gone. */
const KEPT_DAYS = 30;

interface Kept {
  draft: Draft;
  at: number;
}

function open(): Promise<IDBDatabase> {
  const opening = indexedDB.open(DATABASE, 1);
  opening.addEventListener("upgradeneeded", () => opening.result.createObjectStore(DRAFTS));
  return done(opening);
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error("not kept")));
  });
}

/** The draft of a member in an organization. */
export async function read(owner: string): Promise<Draft | undefined> {
  const database = await open();
  const kept = await done<Kept | undefined>(
    database.transaction(DRAFTS).objectStore(DRAFTS).get(owner),
  );
  database.close();
  const age = Date.now() - (kept?.at ?? 0);
  return kept && age < KEPT_DAYS * 86_400_000 ? kept.draft : undefined;
}

/** Keeps it; an empty one is removed. */
export async function write(owner: string, draft: Draft): Promise<void> {
  const database = await open();
  const drafts = database.transaction(DRAFTS, "readwrite").objectStore(DRAFTS);
  const kept: Kept = { draft, at: Date.now() };
  if (draft.commands.length === 0) await done(drafts.delete(owner));
  else await done(drafts.put(kept, owner));
  database.close();
}
