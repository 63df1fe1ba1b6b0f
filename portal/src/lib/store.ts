import { useSyncExternalStore } from "react";

/** A value that components watch, and that lives outside of them. */
export interface Store<T> {
  get(): T;
  set(next: T): void;
  subscribe(listener: () => void): () => void;
}

/** A store that begins with `initial`. */
export function store<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The store's value, now and whenever it changes. */
export function useStore<T>(of: Store<T>): T {
  return useSyncExternalStore(of.subscribe, of.get);
}
