/** Why somebody gets what they get: which sentence says it, of the codes that the API gives. */
import type { Schemas } from "@/lib/api/client";

type Answer = Schemas["FlagEvaluation"];

/** What decided. `unknown` is a variation that is not there. */
const CODES = [
  "archived",
  "off",
  "prerequisite",
  "targeted",
  "rule",
  "default",
  "unknownFlag",
] as const;
export type Decided = (typeof CODES)[number] | "notReleased" | "unknown";

export interface Verdict {
  code: Decided;
  /** Where a rollout splits users: whether this one is in the share that was meant for some. */
  split?: "within" | "outside" | "uncovered";
  rule?: { id: string; index: number; name: string };
  /** What another flag had to serve. */
  needed?: Partial<Schemas["PrerequisiteStep"]> & { flag: string; variation: string };
  /** Where they fall, from 0 to 1. */
  at?: number;
  /** What is said of it: the share that they are in, or the one that they are out of. */
  ranges?: [from: number, to: number][];
  /** The variation that those get who are in it: an id. */
  wanted?: string;
}

/** `meant` is the variation that the flag is there for: a rollout rolls it out. */
export function verdictOf(answer: Answer, meant: string): Verdict {
  const { code, params } = answer.reason;
  const rule = {
    id: params["rule"] ?? "",
    index: Number(params["index"] ?? 0),
    name: params["name"] ?? "",
  };
  const known = CODES.find((it) => it === code) ?? "notReleased";
  const about: Verdict = known === "rule" ? { code: known, rule } : { code: known };
  if (params["nothing"] === "variationUnknown") return { ...about, code: "unknown" };
  if (known === "prerequisite") {
    const taken = answer.steps?.find((it) => it.result === "taken")?.prerequisite;
    const { flag = "", variation = "" } = params;
    return { code: known, needed: taken ?? { flag, variation } };
  }
  const split = answer.steps?.find((it) => it.result === "taken")?.split;
  if (!split || split.bucket == null) return about;
  const at = split.bucket;
  if (params["nothing"] === "uncovered") return { ...about, split: "uncovered", at };
  const got = split.parts.find((it) => it.taken)?.variation ?? "";
  const rangesOf = (variation: string) =>
    split.parts
      .filter((it) => it.variation === variation && it.to > it.from)
      .map((it): [number, number] => [it.from, it.to]);
  const missed = got === meant ? [] : rangesOf(meant);
  return missed.length > 0
    ? { ...about, split: "outside", at, ranges: missed, wanted: meant }
    : { ...about, split: "within", at, ranges: rangesOf(got), wanted: got };
}

/** As few digits as tell on which side of each border it lies: 0.6341 between 0.1 and 1 is 0.634. */
export function digitsFor(at: number, borders: number[]): number {
  for (const digits of [1, 2, 3, 4]) {
    const unit = 10 ** (digits + 2);
    const shown = Math.round(at * unit);
    if (borders.every((it) => Math.round(it * unit) !== shown)) return digits;
  }
  return 6;
}

/** Places and shares of a rollout, as the language writes them. */
export function rolloutWords(language: string) {
  const list = new Intl.ListFormat(language, { type: "conjunction" });
  const percent = (digits: number) =>
    new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: digits });
  return {
    place: (at: number, borders: number[]) => percent(digitsFor(at, borders)).format(at),
    ranges: (of: [from: number, to: number][]) =>
      list.format(of.map(([from, to]) => percent(3).formatRange(from, to))),
  };
}
