/** Who gets something else when a rollout changes: by the places of the bar, which nobody leaves. */
import type { Serving } from "./flag";

export interface Shift {
  from: string;
  to: string;
  share: number;
}

const round = (share: number) => Math.round(share * 100_000) / 100_000;

/** The variation that a place on the bar gets. */
const at = (serving: Serving, place: number) =>
  serving.parts.find(({ rollout: [from, to] }) => place >= from && place < to)?.id ?? "";

/**
 * The shares of users that move from one variation to another, and those that keep theirs.
 * Undefined where users are split by something else than before: then nobody's place is what it was.
 */
export function shifts(
  before: Serving,
  after: Serving,
): { moved: Shift[]; kept: Shift[] } | undefined {
  if ((before.dispatchKey ?? "keyId") !== (after.dispatchKey ?? "keyId")) return undefined;
  const borders = [...before.parts, ...after.parts].flatMap((it) => it.rollout);
  const places = [...new Set([0, 1, ...borders])].toSorted((a, b) => a - b);
  const found = new Map<string, Shift>();
  places.slice(1).forEach((end, index) => {
    const start = places[index] ?? 0;
    const middle = (start + end) / 2;
    const [from, to] = [at(before, middle), at(after, middle)];
    const known = found.get(`${from} ${to}`)?.share ?? 0;
    found.set(`${from} ${to}`, { from, to, share: round(known + end - start) });
  });
  const all = [...found.values()].filter((it) => it.share > 0);
  return {
    moved: all.filter((it) => it.from !== it.to),
    kept: all.filter((it) => it.from === it.to),
  };
}
