/** What commands make of a flag: the portal shows edits before the server has them. */
import type { Schemas } from "@/lib/api/client";
import {
  type Condition,
  type Flag,
  type Rule,
  type Serving,
  type Targeting,
  type WholeFlag,
  everybody,
  serving,
  targetingIn,
} from "@/lib/model/flag";
import { type Edit, type FlagEdit, isFlagEdit } from "./edit";

/** The flag after those of the commands that are about it. */
export function applied(whole: WholeFlag, edits: readonly Edit[]): WholeFlag {
  return edits
    .filter(isFlagEdit)
    .filter((edit) => edit.project === whole.project && edit.flag === whole.flag.key)
    .reduce(one, whole);
}

function one(whole: WholeFlag, edit: FlagEdit): WholeFlag {
  if (!("environment" in edit)) return { ...whole, flag: definition(whole.flag, edit) };
  const before = targetingIn(whole, edit.environment);
  const after = { ...targeting(before, edit), released: true };
  return { ...whole, targetings: { ...whole.targetings, [edit.environment]: after } };
}

function definition(flag: Flag, edit: FlagEdit): Flag {
  switch (edit.kind) {
    case "renameFlag":
      return { ...flag, name: edit.name };
    case "describeFlag":
      return { ...flag, description: edit.description };
    case "setFlagTags":
      return { ...flag, tags: edit.tags };
    case "archiveFlag":
      return { ...flag, archived: true };
    case "restoreFlag":
      return { ...flag, archived: false };
    case "setVariations":
      return {
        ...flag,
        variations: edit.variations.map(({ id, name, value }) => ({
          id: id ?? "",
          name: name ?? null,
          value,
        })),
        onVariation: edit.onVariation ?? flag.onVariation,
        offVariation: edit.offVariation ?? flag.offVariation,
      };
    case "updateVariation":
      return {
        ...flag,
        variations: flag.variations.map((it) =>
          it.id === edit.variation
            ? { ...it, name: edit.name ?? it.name, value: edit.value ?? it.value }
            : it,
        ),
      };
    default:
      return flag;
  }
}

function targeting(before: Targeting, edit: FlagEdit): Targeting {
  switch (edit.kind) {
    case "turnOn":
      return { ...before, on: true };
    case "turnOff":
      return { ...before, on: false };
    case "setTargets":
      return targets(before, edit.variation, () => edit.keys);
    case "addTargets":
      return targets(before, edit.variation, (keys) => {
        const known = new Set(keys);
        return [...keys, ...edit.keys.filter((key) => !known.has(key))];
      });
    case "removeTargets": {
      const gone = new Set(edit.keys);
      return targets(before, edit.variation, (keys) => keys.filter((key) => !gone.has(key)));
    }
    case "setDefaultRule":
      return { ...before, defaultRule: served(edit) };
    case "setPrerequisites":
      return { ...before, prerequisites: edit.prerequisites };
    case "setOffVariation":
      return { ...before, offVariation: edit.variation };
    default:
      return { ...before, rules: rules(before.rules, edit) };
  }
}

function rules(before: Rule[], edit: FlagEdit): Rule[] {
  switch (edit.kind) {
    case "setRules":
      return edit.rules.map(rule);
    case "addRule":
      return placed(before, rule(edit.rule), edit.before);
    case "updateRule":
      return before.map((it) => (it.id === edit.rule.id ? rule(edit.rule) : it));
    case "removeRule":
      return before.filter((it) => it.id !== edit.rule);
    case "moveRule": {
      const moved = before.find((it) => it.id === edit.rule);
      if (!moved) return before;
      const others = before.filter((it) => it !== moved);
      return placed(others, moved, edit.before);
    }
    default:
      return before;
  }
}

function placed(rules: Rule[], rule: Rule, before: string | null | undefined): Rule[] {
  const at = rules.findIndex((it) => it.id === before);
  return at < 0 ? [...rules, rule] : rules.toSpliced(at, 0, rule);
}

function targets(before: Targeting, variation: string, change: (keys: string[]) => string[]) {
  const { [variation]: known = [], ...others } = before.targets;
  const keys = change(known);
  return { ...before, targets: keys.length === 0 ? others : { ...others, [variation]: keys } };
}

function rule(input: Schemas["RuleInput"]): Rule {
  const conditions: Condition[] = (input.conditions ?? []).map(({ property, op, value }) => ({
    property,
    op: op ?? null,
    value: value ?? null,
  }));
  return { id: input.id ?? "", name: input.name ?? "", conditions, serving: served(input) };
}

type ServingInput = Pick<
  Schemas["RuleInput"],
  "variation" | "variations" | "dispatchKey" | "includedInExpt"
>;

function served(input: ServingInput): Serving {
  if (input.variation != null) return everybody(input.variation);
  const variations = (input.variations ?? []).map(({ id, rollout, exptRollout }) => ({
    id,
    rollout,
    exptRollout: exptRollout ?? 1,
  }));
  return serving({
    variations,
    dispatchKey: input.dispatchKey ?? null,
    includedInExpt: input.includedInExpt ?? false,
  });
}
