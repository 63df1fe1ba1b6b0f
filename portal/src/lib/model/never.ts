/** Why a rule can never decide anything: said from the rule itself, without asking anybody. */
import type { Condition, Rule } from "./flag";
import { isOperator, listOf, takes } from "./operators";

export type Wrong = "number" | "version" | "moment" | "pattern" | "network";

const NUMBER = /^\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*$/i;
const VERSION = /^v?\d+(\.\d+){0,2}(-[\w.-]+)?(\+[\w.-]+)?$/;
const NETWORK = /^[\da-f.:]+(\/\d{1,3})?$/i;

/** What is wrong with a condition's value, where there is one. */
export function wrongFor(op: string | null, value: string | null): Wrong | undefined {
  if (value === null || value === "") return undefined;
  if (op === "MatchRegex" || op === "NotMatchRegex")
    return isPattern(value) ? undefined : "pattern";
  switch (takes(op)) {
    case "number":
      return NUMBER.test(value) ? undefined : "number";
    case "version":
      return VERSION.test(value) ? undefined : "version";
    case "moment":
      return Number.isNaN(Date.parse(value)) ? "moment" : undefined;
    case "networks":
      return listOf(value).every((it) => NETWORK.test(it)) ? undefined : "network";
    default:
      return undefined;
  }
}

function isPattern(text: string): boolean {
  // What the server reads and the browser does not: groups by name in another form, flags in front.
  const known = text.replaceAll("(?P<", "(?<").replace(/^\(\?[imsux]+\)/, "");
  try {
    return new RegExp(known, "u").source !== "";
  } catch {
    return false;
  }
}

export type Never =
  { code: "shadowed"; by: Rule } | { code: "contradiction"; property: string } | undefined;

/** Why nobody can come to a rule, whoever they are: others take them before, or it contradicts itself. */
export function never(rule: Rule, before: readonly Rule[]): Never {
  const property = contradiction(rule.conditions);
  if (property !== undefined) return { code: "contradiction", property };
  const asked = new Set(rule.conditions.map((it) => JSON.stringify(it)));
  // What holds for this rule holds for one that asks for less.
  const by = before.find((it) => it.conditions.every((one) => asked.has(JSON.stringify(one))));
  return by && { code: "shadowed", by };
}

/** A property that would have to be two things at once. */
function contradiction(conditions: Condition[]): string | undefined {
  const allowed = new Map<string, Set<string>>();
  for (const { property, op, value } of conditions) {
    if (!isOperator(op) || (op !== "IsOneOf" && op !== "Equal")) continue;
    const values = op === "IsOneOf" ? listOf(value) : [value ?? ""];
    const known = allowed.get(property);
    const both = new Set(values.filter((it) => known?.has(it) ?? true));
    if (known && values.length > 0 && both.size === 0) return property;
    if (values.length > 0) allowed.set(property, both);
  }
  const excluded = conditions.find(({ property, op, value }) => {
    const known = allowed.get(property);
    if (!known || (op !== "NotOneOf" && op !== "NotEqual")) return false;
    const not = new Set(op === "NotOneOf" ? listOf(value) : [value ?? ""]);
    return [...known].every((it) => not.has(it));
  });
  return excluded?.property ?? bounds(conditions);
}

/** A property that would have to lie above what it has to lie below. */
function bounds(conditions: Condition[]): string | undefined {
  const least = new Map<string, number>();
  const most = new Map<string, number>();
  for (const { property, op, value } of conditions) {
    const at = Number(value);
    if (value === null || value === "" || Number.isNaN(at)) continue;
    if (op === "BiggerThan" || op === "BiggerEqualThan") {
      least.set(property, Math.max(at, least.get(property) ?? -Infinity));
    }
    if (op === "LessThan" || op === "LessEqualThan") {
      most.set(property, Math.min(at, most.get(property) ?? Infinity));
    }
  }
  return [...least].find(([property, at]) => at > (most.get(property) ?? Infinity))?.[0];
}
