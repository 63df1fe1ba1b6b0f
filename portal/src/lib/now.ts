import { store, useStore } from "./store";

const now = store(Date.now());
if (typeof document !== "undefined") setInterval(() => now.set(Date.now()), 30_000);

/** The time, to half a minute: one clock for all that is "ago". */
export const useNow = (): number => Math.max(useStore(now), 0);
