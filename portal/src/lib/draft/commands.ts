/**
 * The commands that lead from one state of a flag to another: the fewest, each of the smallest
 * part, so that edits which cancel out leave none, and nobody else's edit is in the way.
 */
import type { Schemas } from "@/lib/api/client";
import type { Flag, Rule, Serving, Targeting } from "@/lib/model/flag";
import type { Edit } from "./edit";

/** Where a flag's targeting is. */
export interface Place {
  project: string;
  environment: string;
  flag: string;
}

export const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** What is different in an environment. */
export function targetingCommands(place: Place, before: Targeting, after: Targeting): Edit[] {
  const edits: Edit[] = targets(place, before, after);
  const { prerequisites } = after;
  if (!same(before.prerequisites, prerequisites)) {
    edits.push({ ...place, kind: "setPrerequisites", prerequisites });
  }
  edits.push(...rules(place, before, after));
  if (!same(before.defaultRule, after.defaultRule)) {
    edits.push({ ...place, kind: "setDefaultRule", ...servingInput(after.defaultRule) });
  }
  if (before.offVariation !== after.offVariation) {
    edits.push({ ...place, kind: "setOffVariation", variation: after.offVariation });
  }
  // Last: who is turned on gets the new rules at once.
  if (before.on !== after.on) {
    edits.push(after.on ? { ...place, kind: "turnOn" } : { ...place, kind: "turnOff" });
  }
  return edits;
}

/** What is different of the flag itself. */
export function flagCommands(project: string, before: Flag, after: Flag): Edit[] {
  const of = { project, flag: before.key };
  const edits: Edit[] = [];
  if (before.name !== after.name) edits.push({ ...of, kind: "renameFlag", name: after.name });
  if (before.description !== after.description) {
    edits.push({ ...of, kind: "describeFlag", description: after.description });
  }
  if (!same(before.tags, after.tags)) {
    edits.push({ ...of, kind: "setFlagTags", tags: after.tags });
  }
  if (
    !same(before.variations, after.variations) ||
    before.onVariation !== after.onVariation ||
    before.offVariation !== after.offVariation
  ) {
    const { variations, onVariation, offVariation } = after;
    edits.push({ ...of, kind: "setVariations", variations, onVariation, offVariation });
  }
  if (before.archived !== after.archived) {
    edits.push({ ...of, kind: after.archived ? "archiveFlag" : "restoreFlag" });
  }
  return edits;
}

function targets(place: Place, before: Targeting, after: Targeting): Edit[] {
  const variations = new Set([...Object.keys(before.targets), ...Object.keys(after.targets)]);
  const removed: Edit[] = [];
  const added: Edit[] = [];
  for (const variation of variations) {
    const old = before.targets[variation] ?? [];
    const now = after.targets[variation] ?? [];
    const gone = without(old, now);
    const come = without(now, old);
    if (gone.length > 0) removed.push({ ...place, kind: "removeTargets", variation, keys: gone });
    if (come.length > 0) added.push({ ...place, kind: "addTargets", variation, keys: come });
  }
  return [...removed, ...added];
}

function without(keys: string[], others: string[]): string[] {
  const known = new Set(others);
  return keys.filter((key) => !known.has(key));
}

function rules(place: Place, before: Targeting, after: Targeting): Edit[] {
  const old = new Map(before.rules.map((rule) => [rule.id, rule]));
  const now = new Set(after.rules.map((rule) => rule.id));
  const removed = before.rules.filter((rule) => !now.has(rule.id));
  const changed = after.rules.filter((rule) => {
    const known = old.get(rule.id);
    return known !== undefined && !same(known, rule);
  });
  return [
    ...removed.map(({ id }): Edit => ({ ...place, kind: "removeRule", rule: id })),
    ...changed.map((rule): Edit => ({ ...place, kind: "updateRule", rule: ruleInput(rule) })),
    ...order(place, before.rules, after.rules),
  ];
}

/** From the last to the first, each in front of its successor, which stands where it shall. */
function order(place: Place, before: Rule[], after: Rule[]): Edit[] {
  const positions = new Map(before.map((rule, index) => [rule.id, index]));
  const common = after.map((rule) => positions.get(rule.id)).filter((it) => it !== undefined);
  const staying = new Set(rising(common));
  const edits: Edit[] = [];
  for (const [index, rule] of [...after.entries()].toReversed()) {
    const next = after[index + 1]?.id;
    const front = next === undefined ? {} : { before: next };
    const position = positions.get(rule.id);
    if (position === undefined) {
      edits.push({ ...place, kind: "addRule", rule: ruleInput(rule), ...front });
    } else if (!staying.has(position)) {
      edits.push({ ...place, kind: "moveRule", rule: rule.id, ...front });
    }
  }
  return edits;
}

/** The longest rising part of a list: who is in it need not move. */
function rising(list: number[]): number[] {
  const best: number[][] = [];
  list.forEach((value, index) => {
    const ends = list.slice(0, index).map((it, at) => (it < value ? (best[at] ?? []) : []));
    const longest = ends.reduce((a, b) => (b.length > a.length ? b : a), [] as number[]);
    best.push([...longest, value]);
  });
  return best.reduce((a, b) => (b.length > a.length ? b : a), []);
}

function ruleInput({ id, name, conditions, serving }: Rule): Schemas["RuleInput"] {
  return { id, name, conditions, ...servingInput(serving) };
}

function servingInput({ parts, dispatchKey, includedInExpt }: Serving) {
  return { variations: parts, dispatchKey, includedInExpt };
}
