import { useState } from "react";

/**
 * Fields as they are typed, laid over what the server says: what others change shows through. The
 * tag is that of what was there when the typing began, so that nobody's change is overwritten
 * without being seen.
 */
export function useEdits<T extends object>(of: T, tag = "") {
  const [edits, setEdits] = useState<Partial<T>>({});
  const [begun, setBegun] = useState<string>();
  const keys = Object.keys(edits) as (keyof T)[];
  return {
    value: { ...of, ...edits },
    dirty: keys.some((key) => JSON.stringify(edits[key]) !== JSON.stringify(of[key])),
    tag: begun ?? tag,
    set: (change: Partial<T>) => {
      setBegun((it) => it ?? tag);
      setEdits((it) => ({ ...it, ...change }));
    },
    reset: () => {
      setBegun(undefined);
      setEdits({});
    },
    /** What others made of it was looked at: the edits are on that now. */
    rebase: () => setBegun(undefined),
  };
}
