import { useCallback, useMemo, useState } from "react";
import type { Schemas } from "@/lib/api/client";

type Item = Schemas["IndexedFlagView"];

/** The keys after a press at a row; with `range` all rows since the press before. */
export function toggled(
  keys: ReadonlySet<string>,
  order: readonly string[],
  row: number,
  before: string | undefined,
  range: boolean,
): Set<string> {
  const key = order[row];
  const next = new Set(keys);
  if (key === undefined) return next;
  const from = range && before !== undefined ? order.indexOf(before) : -1;
  if (from >= 0) {
    const [first, last] = from < row ? [from, row] : [row, from];
    // As the row that it began with.
    const on = keys.has(before ?? "");
    for (const it of order.slice(first, last + 1)) {
      if (on) next.add(it);
      else next.delete(it);
    }
  } else if (!next.delete(key)) next.add(key);
  return next;
}

interface Chosen {
  keys: ReadonlySet<string>;
  /** The row that was pressed last: where a range begins. */
  last: string | undefined;
}

const NONE: Chosen = { keys: new Set(), last: undefined };

/** Which of the flags that are shown are selected: what a filter hides is not. */
export function useSelection(items: Item[]) {
  const [chosen, setChosen] = useState(NONE);
  const { keys } = chosen;
  const selected = useMemo(
    () => (keys.size === 0 ? [] : items.filter((it) => keys.has(it.key))),
    [items, keys],
  );
  // Rows that stay as they are shall not be drawn again.
  const toggle = useCallback(
    (row: number, range: boolean) => {
      const order = items.map((it) => it.key);
      setChosen(({ keys, last }) => ({
        keys: toggled(keys, order, row, last, range),
        last: order[row],
      }));
    },
    [items],
  );
  const all = useCallback(
    () => setChosen({ keys: new Set(items.map((it) => it.key)), last: undefined }),
    [items],
  );
  const clear = useCallback(() => setChosen(NONE), []);
  return { keys, selected, toggle, all, clear };
}

export type Selection = ReturnType<typeof useSelection>;
