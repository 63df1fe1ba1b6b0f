/** Commands, rules and shares in the reader's words. */
import type { TFunction } from "i18next";
import type { Edit } from "./draft/apply";
import {
  type Condition,
  type Serving,
  type WholeFlag,
  labelOf,
  serving,
  targetingIn,
} from "./model/flag";
import { IN_SEGMENT, NOT_IN_SEGMENT, isOperator, listOf, takes } from "./model/operators";
import { merged } from "./model/rollout";

export interface Speaker {
  t: TFunction;
  share: (share: number) => string;
  list: (items: string[]) => string;
  /** The flag that is spoken of, where it is known. */
  whole: WholeFlag | undefined;
}

/** So many keys are named. */
const NAMED = 5;

/** What an edit makes of the flag. */
export function wordsOf(speaker: Speaker, edit: Edit): string {
  const { t } = speaker;
  switch (edit.kind) {
    case "addTargets":
    case "removeTargets":
      return t(`command.${edit.kind}`, {
        variation: variation(speaker, edit.variation),
        keys: some(speaker, edit.keys),
      });
    case "addRule":
    case "updateRule": {
      const { conditions = [], variation: one, variations } = edit.rule;
      const served = variations
        ? serving({
            variations: variations.map((it) => ({ ...it, exptRollout: it.exptRollout ?? 1 })),
            dispatchKey: edit.rule.dispatchKey ?? null,
          })
        : undefined;
      return t(`command.${edit.kind}`, {
        rule: ruleName(speaker, edit.environment, edit.rule.id ?? ""),
        conditions: conditionWords(
          speaker,
          conditions.map(({ property, op, value }) => ({
            property,
            op: op ?? null,
            value: value ?? null,
          })),
        ),
        serving: served ? servingWords(speaker, served) : variation(speaker, one ?? ""),
      });
    }
    case "removeRule":
    case "moveRule":
      return t(`command.${edit.kind}`, { rule: ruleName(speaker, edit.environment, edit.rule) });
    case "setDefaultRule": {
      const parts = (edit.variations ?? []).map((it) => ({
        ...it,
        exptRollout: it.exptRollout ?? 1,
      }));
      const served = serving({ variations: parts, dispatchKey: edit.dispatchKey ?? null });
      return t("command.setDefaultRule", { serving: servingWords(speaker, served) });
    }
    case "setOffVariation":
      return t("command.setOffVariation", { variation: variation(speaker, edit.variation) });
    case "renameFlag":
      return t("command.renameFlag", { name: edit.name });
    case "setFlagTags":
      return t("command.setFlagTags", { tags: speaker.list(edit.tags) || "–" });
    default:
      return t(`command.${edit.kind}` as "command.turnOn", { defaultValue: edit.kind });
  }
}

/** `10 % On, 90 % Off by country`. */
export function servingWords(speaker: Speaker, of: Serving): string {
  const shares = merged(of).filter(([, share]) => share > 0);
  const [first] = shares;
  if (shares.length === 1 && first) return variation(speaker, first[0]);
  const words = shares.map(([id, share]) => `${speaker.share(share)} ${variation(speaker, id)}`);
  const parts = speaker.list(words);
  return of.dispatchKey ? speaker.t("command.splitBy", { parts, property: of.dispatchKey }) : parts;
}

/** Who a rule is for. */
export function conditionWords(speaker: Speaker, conditions: Condition[]): string {
  const { t, list } = speaker;
  if (conditions.length === 0) return t("command.everybody");
  const words = conditions.map(({ property, op, value }) => {
    if (property === IN_SEGMENT) return t("flag.inSegment");
    if (property === NOT_IN_SEGMENT) return t("flag.notInSegment");
    const kind = takes(op);
    const items = kind === "list" || kind === "networks" ? listOf(value) : [value ?? ""];
    return t("command.condition", {
      property,
      op: isOperator(op) ? t(`operator.${op}`) : (op ?? ""),
      value: kind === "nothing" ? "" : some(speaker, items),
    }).trim();
  });
  return list(words);
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

function some({ t }: Speaker, keys: string[]): string {
  const more = keys.length - NAMED;
  const named = keys.slice(0, NAMED).join(", ");
  return more > 0 ? t("command.andMore", { keys: named, count: more }) : named;
}
