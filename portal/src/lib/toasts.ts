/** What was done, said for a while where everybody looks. */
import type { ReactNode } from "react";
import { store } from "./store";

export interface Toast {
  id: number;
  text: string;
  /** A way back, or on. */
  action?: { label: string; run: () => void };
  /** What goes on meanwhile, below the text. */
  more?: ReactNode;
}

/** As long as Undo is offered. */
const SHOWN_MS = 10_000;

export const toasts = store<Toast[]>([]);
let next = 0;

export function toast(text: string, action?: Toast["action"], more?: ReactNode): void {
  next += 1;
  const id = next;
  toasts.set([...toasts.get(), { id, text, ...(action ? { action } : {}), more }].slice(-3));
  setTimeout(() => dismiss(id), SHOWN_MS);
}

export function dismiss(id: number): void {
  toasts.set(toasts.get().filter((it) => it.id !== id));
  settle();
}

/** How far above the bottom it is said: never over what can be pressed there. */
export const floor = store(0);
let taken = 0;

/** So much of the bottom is taken from now on. */
export function take(height: number): void {
  taken = height;
  settle();
}

/** What is said does not sink under a pointer that is on its way to it. */
function settle(): void {
  if (toasts.get().length === 0 || taken > floor.get()) floor.set(taken);
}
