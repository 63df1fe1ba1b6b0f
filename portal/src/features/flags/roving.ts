import { type FocusEvent, type KeyboardEvent, useState } from "react";

const STEPS: Record<string, [rows: number, columns: number]> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
  j: [1, 0],
  k: [-1, 0],
  PageDown: [20, 0],
  PageUp: [-20, 0],
};

const within = (value: number, count: number) => Math.min(Math.max(value, 0), count - 1);

/** One stop for Tab, and arrows from cell to cell: a screen of switches would be 88 stops. */
export function useRoving(rows: number, columns: number, show: (row: number) => void) {
  const [active, setActive] = useState({ row: 0, column: 0 });
  const at = { row: within(active.row, rows), column: within(active.column, columns) };
  return {
    active: at,
    focused(event: FocusEvent<HTMLElement>) {
      const { row, column } = event.target.dataset;
      if (row !== undefined) setActive({ row: Number(row), column: Number(column) });
    },
    keys(event: KeyboardEvent<HTMLElement>) {
      const step = STEPS[event.key];
      if (!step || event.metaKey || event.ctrlKey || event.altKey) return;
      event.preventDefault();
      const row = within(at.row + step[0], rows);
      const column = within(at.column + step[1], columns);
      setActive({ row, column });
      show(row);
      const list = event.currentTarget;
      // The row may only be drawn once it is scrolled to.
      requestAnimationFrame(() => {
        const cell = `[data-row="${row}"][data-column="${column}"]`;
        list.querySelector<HTMLElement>(cell)?.focus();
      });
    },
  };
}
