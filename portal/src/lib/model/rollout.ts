/**
 * Shares of a rollout. A user's place on the bar never changes, so parts keep their order when a
 * share changes: only those between the old and the new border move.
 */
import type { Part, Serving } from "./flag";

/** Borders are kept to a thousandth of a percent. */
const round = (share: number) => Math.round(share * 100_000) / 100_000;

/** The share of a variation, from 0 to 1. */
export function shareOf(serving: Serving, variation: string): number {
  const parts = serving.parts.filter((part) => part.id === variation);
  return round(parts.reduce((sum, { rollout: [from, to] }) => sum + (to - from), 0));
}

/** The variation that everybody gets; undefined where more than one is served. */
export function only(serving: Serving): string | undefined {
  const covering = serving.parts.filter(({ rollout: [from, to] }) => to > from);
  const first = covering[0];
  return covering.length === 1 && first && round(first.rollout[1] - first.rollout[0]) === 1
    ? first.id
    : undefined;
}

/**
 * The rollout with another share of one variation. What it gains is taken from the largest other
 * part, and what it loses given to it.
 */
export function withShare(
  serving: Serving,
  variation: string,
  share: number,
  variations: string[],
): Serving {
  const wanted = round(Math.min(1, Math.max(0, share)));
  const shares = merged(serving);
  if (!shares.some(([id]) => id === variation)) shares.push([variation, 0]);
  const others = shares.filter(([id]) => id !== variation);
  if (others.length === 0) {
    const other = variations.find((id) => id !== variation);
    if (other === undefined) return serving;
    // Behind, so that who has the variation already keeps it.
    shares.push([other, 0]);
    others.push([other, 0]);
  }
  let left = round(1 - wanted - others.reduce((sum, [, size]) => sum + size, 0));
  const next = new Map(shares);
  for (const [id, size] of others.toSorted((a, b) => b[1] - a[1])) {
    const change = left >= 0 ? left : Math.max(left, -size);
    next.set(id, round(size + change));
    left = round(left - change);
  }
  next.set(variation, wanted);
  return { ...serving, parts: placed([...next], serving.parts) };
}

/** Each variation once, with its share, in the order in which they lie on the bar. */
export function merged(serving: Serving): [string, number][] {
  const ids = [...new Set(serving.parts.map((part) => part.id))];
  return ids.map((id) => [id, shareOf(serving, id)]);
}

function placed(shares: [string, number][], before: Part[]): Part[] {
  let from = 0;
  const covering = shares.filter(([, share]) => share > 0);
  return covering.map(([id, share], index) => {
    const to = index === covering.length - 1 ? 1 : round(from + share);
    const exptRollout = before.find((part) => part.id === id)?.exptRollout ?? 1;
    const part: Part = { id, rollout: [from, to], exptRollout };
    from = to;
    return part;
  });
}

/**
 * The rollout with one border elsewhere: that behind the part at `index`. It lies between those of
 * its neighbours, and nobody beyond them moves. A part of nothing stays, so that a drag can go back.
 */
export function withBorder(serving: Serving, index: number, border: number): Serving {
  const left = serving.parts[index];
  const right = serving.parts[index + 1];
  if (!left || !right) return serving;
  const place = round(Math.min(right.rollout[1], Math.max(left.rollout[0], border)));
  return {
    ...serving,
    parts: serving.parts
      .with(index, { ...left, rollout: [left.rollout[0], place] })
      .with(index + 1, { ...right, rollout: [place, right.rollout[1]] }),
  };
}
