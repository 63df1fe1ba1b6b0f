/** Commands, rules and shares in the reader's words. */
import type { Schemas } from "./api/client";
import { type Edit, type SegmentEdit, isSegmentEdit } from "./draft/edit";
import {
  type Condition,
  type Serving,
  type Variation,
  type WholeFlag,
  everybody,
  labelOf,
  serving,
  targetingIn,
} from "./model/flag";
import { merged } from "./model/rollout";
import { type Phrases, conditionWords, shareWords, some } from "./phrases";

export interface Speaker extends Phrases {
  /** The flag that is spoken of, where it is known. */
  whole: WholeFlag | undefined;
}

/** Whether the words of an edit have names in them of variations or rules, which the flag knows. */
export function namesParts({ kind }: Edit): boolean {
  return !NAMELESS.has(kind);
}

const NAMELESS: ReadonlySet<Edit["kind"]> = new Set([
  "createFlag",
  "renameFlag",
  "describeFlag",
  "setFlagTags",
  "archiveFlag",
  "restoreFlag",
  "deleteFlag",
  "turnOn",
  "turnOff",
  "setRules",
  "setPrerequisites",
  "setTracking",
]);

/** What an edit makes of the flag or the segment. */
export function wordsOf(speaker: Speaker, edit: Edit): string {
  const { t } = speaker;
  if (isSegmentEdit(edit)) return segmentWords(speaker, edit);
  switch (edit.kind) {
    case "setTargets":
    case "addTargets":
    case "removeTargets":
      return t(`command.${edit.kind}`, {
        variation: variation(speaker, edit.variation),
        keys: some(speaker, edit.keys),
      });
    case "addRule":
    case "updateRule":
      return t(`command.${edit.kind}`, {
        rule: ruleName(speaker, edit.environment, edit.rule.id ?? ""),
        conditions: conditionWords(speaker, conditionsOf(edit.rule)),
        serving: servingWords(speaker, served(edit.rule), speaker.whole?.flag.variations),
      });
    case "setRules":
      return t("command.setRules", { count: edit.rules.length });
    case "removeRule":
    case "moveRule":
      return t(`command.${edit.kind}`, { rule: ruleName(speaker, edit.environment, edit.rule) });
    case "setDefaultRule":
      return t("command.setDefaultRule", {
        serving: servingWords(speaker, served(edit), speaker.whole?.flag.variations),
      });
    case "setPrerequisites":
      if (edit.prerequisites.length === 0) return t("command.setPrerequisites_none");
      return t("command.setPrerequisites", {
        flags: some(
          speaker,
          edit.prerequisites.map((it) => it.flag),
        ),
      });
    case "setOffVariation":
      return t("command.setOffVariation", { variation: variation(speaker, edit.variation) });
    case "updateVariation":
      return t("command.updateVariation", {
        variation: variation(speaker, edit.variation),
        value: edit.value ?? edit.name ?? "",
      });
    case "setTracking":
      return t(edit.tracked === false ? "command.setTracking_off" : "command.setTracking");
    case "renameFlag":
      return t("command.renameFlag", { name: edit.name });
    case "setFlagTags":
      return t("command.setFlagTags", { tags: speaker.list(edit.tags) || "–" });
    default:
      return t(`command.${edit.kind}`);
  }
}

function segmentWords(speaker: Speaker, edit: SegmentEdit): string {
  const { t } = speaker;
  switch (edit.kind) {
    case "createSegment":
      return t("command.createSegment", { count: edit.included?.length ?? 0 });
    case "renameSegment":
      return t("command.renameSegment", { name: edit.name });
    case "setSegmentTags":
      return t("command.setSegmentTags", { tags: speaker.list(edit.tags) || "–" });
    case "setSegmentRules": {
      const rules = edit.rules.map((it) => conditionWords(speaker, conditionsOf(it)));
      if (rules.length === 0) return t("command.setSegmentRules_none");
      return t("command.setSegmentRules", { rules: speaker.either(rules) });
    }
    case "setIncluded":
    case "addIncluded":
    case "removeIncluded":
    case "setExcluded":
    case "addExcluded":
    case "removeExcluded":
      if (edit.keys.length === 0) {
        return t(edit.kind.endsWith("Included") ? "command.includedNone" : "command.excludedNone");
      }
      return t(`command.${edit.kind}`, { keys: some(speaker, edit.keys) });
    default:
      return t(`command.${edit.kind}`);
  }
}

function conditionsOf(rule: { conditions?: Schemas["ConditionInput"][] }): Condition[] {
  return (rule.conditions ?? []).map(({ property, op, value }) => ({
    property,
    op: op ?? null,
    value: value ?? null,
  }));
}

type Served = Pick<Schemas["RuleInput"], "variation" | "variations" | "dispatchKey">;

function served({ variation, variations, dispatchKey }: Served): Serving {
  if (variation != null) return everybody(variation);
  const parts = (variations ?? []).map((it) => ({ ...it, exptRollout: it.exptRollout ?? 1 }));
  return serving({ variations: parts, dispatchKey: dispatchKey ?? null });
}

/** `10 % On and 90 % Off by country`. */
export function servingWords(
  phrases: Phrases,
  of: Serving,
  variations: readonly Variation[] | undefined,
): string {
  const shares = merged(of).filter(([, share]) => share > 0);
  const named = shares.map(([id, share]) => ({
    share,
    name: labelOf(variations?.find((it) => it.id === id)),
  }));
  return shareWords(phrases, named, of.dispatchKey);
}

function variation({ whole }: Speaker, id: string): string {
  return labelOf(whole?.flag.variations.find((it) => it.id === id));
}

/** A rule's name, else its place. */
function ruleName({ t, whole }: Speaker, environment: string, id: string): string {
  const rules = whole ? targetingIn(whole, environment).rules : [];
  const index = rules.findIndex((it) => it.id === id);
  if (index < 0) return t("flag.aRule");
  return rules[index]?.name || t("flag.ruleNumber", { number: index + 1 });
}
