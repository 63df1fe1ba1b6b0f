/** The draft of whoever is signed in, shared by the tabs of a browser. */
import { store, useStore } from "@/lib/store";
import { type Draft, EMPTY, type Note } from "./draft";
import { read, write } from "./keep";

/** How many edits can be taken back. */
const STEPS = 100;

const current = store<Draft>(EMPTY);
const notKept = store(false);
let owner = "";
let past: Draft[] = [];

const channel = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel("draft");
channel?.addEventListener("message", (event: MessageEvent<unknown>) => {
  if (event.data === owner) void load(() => true);
});

async function load(stands: () => boolean): Promise<void> {
  const of = owner;
  try {
    const kept = await read(of);
    if (of === owner && stands()) current.set(kept ?? EMPTY);
  } catch {
    // Private windows of some browsers keep nothing.
    notKept.set(true);
  }
}

/** Begins with what was kept of a member's edits in an organization. */
export function openDraft(member: string, organization: string): void {
  const next = `${member}/${organization}`;
  if (next === owner) return;
  owner = next;
  past = [];
  current.set(EMPTY);
  // What was edited before it was read stays.
  void load(() => current.get() === EMPTY);
}

/** Changes the draft; `undo` takes it back. */
export function changeDraft(change: (draft: Draft) => Draft): void {
  const before = current.get();
  const after = change(before);
  if (after === before) return;
  past = [...past, before].slice(-STEPS);
  keep(after);
}

/** Changes what is said about the edits: no step of its own for `undo`. */
export function annotate(note: Partial<Note>): void {
  const now = current.get();
  if (now.commands.length > 0) keep({ ...now, note: { ...now.note, ...note } });
}

/** Takes the last edit back; false where there is none. */
export function undo(): boolean {
  const before = past.pop();
  if (!before) return false;
  // What was said about them stays.
  const { note } = current.get();
  keep(note && before.commands.length > 0 ? { ...before, note } : before);
  return true;
}

/** Forgets the edits: they were applied, or thrown away. */
export function clearDraft(): void {
  past = [];
  keep(EMPTY);
}

function keep(draft: Draft): void {
  current.set(draft);
  const of = owner;
  void write(of, draft)
    .then(() => channel?.postMessage(of))
    .catch(() => notKept.set(true));
}

export const useDraft = (): Draft => useStore(current);

export const draftNow = (): Draft => current.get();

/** Whether this browser keeps no drafts. */
export const useNotKept = (): boolean => useStore(notKept);
