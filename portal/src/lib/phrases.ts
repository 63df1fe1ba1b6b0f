/** Phrases that edits, differences and comparisons have in common, in the reader's words. */
import type { TFunction } from "i18next";
import { IN_SEGMENT, NOT_IN_SEGMENT, isOperator, listOf, takes } from "./model/operators";

export interface Phrases {
  t: TFunction;
  share: (share: number) => string;
  list: (items: string[]) => string;
  either: (items: string[]) => string;
  /** A segment's name by its id, where it is known. */
  segment?: (id: string) => string | undefined;
}

/** A condition as rules have it; `more`: how many items of its list are left out. */
export interface Asked {
  property: string;
  op?: string | null;
  value?: string | null;
  more?: number;
}

/** So many of a list are named. */
export const NAMED = 5;

/** `ana, ben and 3 more`, of a list that may be longer than what is given of it. */
export function some({ t }: Pick<Phrases, "t">, items: readonly string[], left = 0): string {
  const named = items.slice(0, NAMED);
  const more = items.length - named.length + left;
  const keys = named.join(", ");
  return more > 0 ? t("command.andMore", { keys, count: more }) : keys;
}

/** `10 % On and 90 % Off by country`; of one that everybody gets, its name. */
export function shareWords(
  { t, share, list }: Phrases,
  shares: readonly { share: number; name: string }[],
  property: string | null | undefined,
): string {
  const [only] = shares;
  if (!only) return "–";
  if (shares.length === 1 && only.share > 0.999_999) return only.name;
  const parts = list(
    shares.map((it) => t("diff.share", { share: share(it.share), name: it.name })),
  );
  // By the key is how it is done unless somebody says otherwise.
  return property && property !== "keyId" ? t("command.splitBy", { parts, property }) : parts;
}

/** Who a rule is for. Operators' words are the page `rules`. */
export function conditionWords(phrases: Phrases, conditions: readonly Asked[]): string {
  if (conditions.length === 0) return phrases.t("command.everybody");
  return phrases.list(conditions.map((it) => oneCondition(phrases, it)));
}

function oneCondition(phrases: Phrases, { property, op, value, more }: Asked): string {
  const { t } = phrases;
  if (asksSegments({ property })) return membership(phrases, property, listOf(value ?? null), more);
  const kind = takes(op ?? null);
  // A list that cannot be read is said as it stands.
  const read = kind === "list" || kind === "networks" ? listOf(value ?? null) : [];
  const items = read.length > 0 ? read : [value ?? ""];
  return t("command.condition", {
    property,
    op: isOperator(op ?? null) ? t(`operator.${op}` as "operator.Equal") : (op ?? ""),
    value: kind === "nothing" ? "" : some(phrases, items, more),
  }).trim();
}

/** Whether a condition asks for membership in segments. */
export const asksSegments = ({ property }: Pick<Asked, "property">): boolean =>
  property === IN_SEGMENT || property === NOT_IN_SEGMENT;

function membership(
  { t, either, segment }: Phrases,
  property: string,
  ids: string[],
  more = 0,
): string {
  const isIn = property === IN_SEGMENT;
  const names = ids.map((it) => segment?.(it));
  const known = names.filter((it) => it !== undefined);
  // An id says nothing to anybody.
  if (known.length === 0 || known.length < names.length) {
    return t(isIn ? "flag.inSegment" : "flag.notInSegment");
  }
  const segments = more > 0 ? some({ t }, known, more) : either(known);
  return t(isIn ? "flag.inSegments" : "flag.notInSegments", { segments });
}
