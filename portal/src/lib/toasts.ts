/** What was done, said for a while where everybody looks. */
import { store } from "./store";

export interface Toast {
  id: number;
  text: string;
  /** A way back, or on. */
  action?: { label: string; run: () => void };
}

/** As long as Undo is offered. */
const SHOWN_MS = 10_000;

export const toasts = store<Toast[]>([]);
let next = 0;

export function toast(text: string, action?: Toast["action"]): void {
  next += 1;
  const id = next;
  toasts.set([...toasts.get(), action ? { id, text, action } : { id, text }].slice(-3));
  setTimeout(() => dismiss(id), SHOWN_MS);
}

export function dismiss(id: number): void {
  toasts.set(toasts.get().filter((it) => it.id !== id));
}
