import { useState } from "react";

/** Fields as they are typed, laid over what the server says: what others change shows through. */
export function useEdits<T extends object>(of: T) {
  const [edits, setEdits] = useState<Partial<T>>({});
  const keys = Object.keys(edits) as (keyof T)[];
  return {
    value: { ...of, ...edits },
    dirty: keys.some((key) => JSON.stringify(edits[key]) !== JSON.stringify(of[key])),
    set: (change: Partial<T>) => setEdits((it) => ({ ...it, ...change })),
    reset: () => setEdits({}),
  };
}
