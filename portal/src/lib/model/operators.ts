/** The operators of conditions, in the order in which they are offered. */

/** What stands in a condition's value. */
export type Takes = "text" | "number" | "list" | "version" | "moment" | "networks" | "nothing";

export const OPERATORS = {
  IsOneOf: "list",
  NotOneOf: "list",
  Equal: "text",
  NotEqual: "text",
  Contains: "text",
  NotContain: "text",
  StartsWith: "text",
  EndsWith: "text",
  BiggerThan: "number",
  BiggerEqualThan: "number",
  LessThan: "number",
  LessEqualThan: "number",
  IsTrue: "nothing",
  IsFalse: "nothing",
  MatchRegex: "text",
  NotMatchRegex: "text",
  SemverBiggerEqualThan: "version",
  SemverBiggerThan: "version",
  SemverLessEqualThan: "version",
  SemverLessThan: "version",
  SemverEqual: "version",
  SemverNotEqual: "version",
  Before: "moment",
  After: "moment",
  IsSet: "nothing",
  IsNotSet: "nothing",
  EqualIgnoreCase: "text",
  NotEqualIgnoreCase: "text",
  InCidr: "networks",
  NotInCidr: "networks",
} as const satisfies Record<string, Takes>;

export type Operator = keyof typeof OPERATORS;

/** Properties by which a condition asks for membership in segments. */
export const IN_SEGMENT = "User is in segment";
export const NOT_IN_SEGMENT = "User is not in segment";

export const isOperator = (op: string | null): op is Operator => op !== null && op in OPERATORS;

export const takes = (op: string | null): Takes => (isOperator(op) ? OPERATORS[op] : "text");

/** The texts of a list, as a condition's value has it; none where it is no list. */
export function listOf(value: string | null): string[] {
  try {
    const read: unknown = JSON.parse(value ?? "");
    return Array.isArray(read) ? read.filter((it): it is string => typeof it === "string") : [];
  } catch {
    return [];
  }
}

/** The value that asks the same in another operator's form, as far as it can. */
export function converted(value: string | null, from: Takes, to: Takes): string {
  const items = from === "list" || from === "networks" ? listOf(value) : [value ?? ""];
  if (to === "nothing") return "";
  if (to === "list" || to === "networks") return JSON.stringify(items.filter((it) => it !== ""));
  return items[0] ?? "";
}

const MOMENT = /^\d{4}-\d\d-\d\d([T ]|$)/;
const VERSION = /^v?\d+\.\d+(\.\d+)?(-[\w.]+)?$/;

/** The operator that the values which were really sent suggest. */
export function suggested(values: string[]): Operator {
  const seen = values.filter((it) => it !== "");
  if (seen.length === 0) return "IsOneOf";
  if (seen.every((it) => /^(true|false)$/i.test(it))) return "IsTrue";
  // `2.3` alone may be a number; beside a `2.3.1` it is a version.
  const three = seen.some((it) => it.split(".").length > 2);
  if (three && seen.every((it) => VERSION.test(it))) return "SemverBiggerEqualThan";
  if (seen.every((it) => MOMENT.test(it) && !Number.isNaN(Date.parse(it)))) return "After";
  if (seen.every((it) => /^-?\d+(\.\d+)?$/.test(it))) return "BiggerEqualThan";
  return "IsOneOf";
}

/** Pasted texts: one a line, or with commas between them; each once. */
export function pasted(text: string): string[] {
  const items = text.split(/[\n\r,;\t]+/).map((it) => it.trim());
  return [...new Set(items.filter((it) => it !== ""))];
}
