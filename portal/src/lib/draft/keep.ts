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

let opened: Promise<IDBDatabase> | undefined;

/** The database, which stays open: what is edited is on its way to it before the page can be left. */
function database(): Promise<IDBDatabase> {
  opened ??= open();
  return opened;
}

async function open(): Promise<IDBDatabase> {
  const opening = indexedDB.open(DATABASE, 1);
  opening.addEventListener("upgradeneeded", () => opening.result.createObjectStore(DRAFTS));
  const again = () => (opened = undefined);
  try {
    const database = await done(opening);
    // The browser closes it where its data are cleared, and asks for it where it is to be another.
    database.addEventListener("close", again);
    database.addEventListener("versionchange", () => {
      database.close();
      again();
    });
    return database;
  } catch (error) {
    again();
    throw error;
  }
}

async function transaction(mode: IDBTransactionMode): Promise<IDBTransaction> {
  try {
    return (await database()).transaction(DRAFTS, mode);
  } catch {
    // Some browsers lose a database that lies open for long, and say so here only.
    opened = undefined;
    return (await database()).transaction(DRAFTS, mode);
  }
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error("not kept")));
  });
}

/** The draft of a member in an organization. */
export async function read(owner: string): Promise<Draft | undefined> {
  const reading = await transaction("readonly");
  const kept = await done<Kept | undefined>(reading.objectStore(DRAFTS).get(owner));
  const age = Date.now() - (kept?.at ?? 0);
  return kept && age < KEPT_DAYS * 86_400_000 ? kept.draft : undefined;
}

/** Keeps it; an empty one is removed. Of two writes the later one stays. */
export async function write(owner: string, draft: Draft): Promise<void> {
  const writing = await transaction("readwrite");
  const drafts = writing.objectStore(DRAFTS);
  const kept: Kept = { draft, at: Date.now() };
  if (draft.commands.length === 0) drafts.delete(owner);
  else drafts.put(kept, owner);
  // Now, not when the page comes to hear of it: it may have been left by then.
  writing.commit();
  await new Promise<void>((resolve, reject) => {
    writing.addEventListener("complete", () => resolve());
    writing.addEventListener("abort", () => reject(writing.error ?? new Error("not kept")));
  });
}
