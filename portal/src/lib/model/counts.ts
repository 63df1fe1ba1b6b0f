/** Evaluations over time, as bars: every span has one, those in which nothing happened too. */
import type { Schemas } from "@/lib/api/client";

export interface Bar {
  /** Its beginning, in milliseconds. */
  at: number;
  /** By variation, in the order that was asked for. */
  counts: number[];
}

const STEPS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** More than these are no bars any more. */
const MOST = 400;

/** The bars of an answer. Variations that are gone stand last, as one. */
export function bars(counts: Schemas["Counts"], variations: string[]): Bar[] {
  const step = STEPS[counts.by];
  const first = Math.floor(Date.parse(counts.from) / step) * step;
  const end = Date.parse(counts.to);
  const size = Math.min(MOST, Math.max(1, Math.ceil((end - first) / step)));
  const found = Array.from({ length: size }, (_, index): Bar => ({
    at: first + index * step,
    counts: Array.from({ length: variations.length + 1 }, () => 0),
  }));
  for (const span of counts.spans) {
    const bar = found[Math.floor((Date.parse(span.at) - first) / step)];
    if (!bar) continue;
    for (const [id, count] of Object.entries(span.counts)) {
      const at = variations.indexOf(id);
      const place = at < 0 ? variations.length : at;
      bar.counts[place] = (bar.counts[place] ?? 0) + count;
    }
  }
  return found;
}

export const sum = (bar: Bar): number => bar.counts.reduce((all, it) => all + it, 0);
