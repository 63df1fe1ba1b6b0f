import { type FocusEvent, type KeyboardEvent, type RefObject, useState } from "react";

const ROWS: Record<string, number> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 20,
  PageUp: -20,
};

const within = (value: number, count: number) => Math.min(Math.max(value, 0), count - 1);

/** All that can be reached in a row, from left to right. */
const stopsOf = (list: HTMLElement, row: number) => [
  ...list.querySelectorAll<HTMLElement>(`[data-row="${row}"]`),
];

const columnOf = (stop: HTMLElement) => Number(stop.dataset["column"]);

/** One stop for Tab, and arrows from cell to cell: a screen of switches would be 88 stops. */
export function useRoving(
  list: RefObject<HTMLElement | null>,
  rows: number,
  show: (row: number) => void,
) {
  // The name is where one begins.
  const [active, setActive] = useState({ row: 0, column: 1 });
  const at = { row: within(active.row, rows), column: active.column };

  function go(row: number, column = at.column) {
    if (rows === 0) return;
    const to = within(row, rows);
    setActive({ row: to, column });
    show(to);
    // The row may only be drawn once it is scrolled to.
    requestAnimationFrame(() => {
      const stops = list.current ? stopsOf(list.current, to) : [];
      // Where a row lacks the column, the one before it.
      const stop =
        stops.find((it) => columnOf(it) === column) ??
        stops.findLast((it) => columnOf(it) < column) ??
        stops[0];
      stop?.focus({ preventScroll: true });
    });
  }
  function aside(from: HTMLElement, key: string) {
    const stops = stopsOf(from.closest<HTMLElement>("[role=row]") ?? from, at.row);
    const here = stops.indexOf(from);
    const last = stops.length - 1;
    const to = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: last }[key] ?? here;
    stops[within(to, stops.length)]?.focus();
  }
  return {
    active: at,
    /** A row further; where one is not in the list yet, into it. */
    move(step: number) {
      const inside = list.current?.contains(document.activeElement);
      go(inside ? at.row + step : at.row);
    },
    focused(event: FocusEvent<HTMLElement>) {
      const { row, column } = event.target.dataset;
      if (row !== undefined) setActive({ row: Number(row), column: Number(column) });
    },
    keys(event: KeyboardEvent<HTMLElement>) {
      const { key, target } = event;
      if (event.metaKey || event.altKey || !(target instanceof HTMLElement)) return;
      if (target.dataset["row"] === undefined) return;
      const step = ROWS[key];
      const sideways = ["ArrowLeft", "ArrowRight", "Home", "End"].includes(key);
      if (step === undefined && !sideways) return;
      event.preventDefault();
      if (step !== undefined) go(at.row + step);
      else if (event.ctrlKey && key === "Home") go(0);
      else if (event.ctrlKey && key === "End") go(rows - 1);
      else aside(target, key);
    },
  };
}
