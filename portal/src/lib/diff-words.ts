/**
 * Parts of a diff line that the API writes in English whatever one speaks: lists, shares, conditions.
 * What is written as always is said in the reader's words; anything else stays as it is.
 */
import type { TFunction } from "i18next";
import { isOperator, listOf, takes } from "./model/operators";

export interface Speaker {
  t: TFunction;
  share: (share: number) => string;
  list: (items: string[]) => string;
  either: (items: string[]) => string;
}

const PART = /^(\d+(?:\.\d+)?)% (‘[^’]*’)$/;
const CONDITION = /^(\S+) (\w+) ‘([^’]*)’$/;

/** The parameters of a line, as they stand in its sentence. */
export function said(speaker: Speaker, params: Record<string, string>): Record<string, string> {
  const { t } = speaker;
  const { users, serves, rules, tags, order, variations } = params;
  return {
    ...params,
    ...(users === undefined ? {} : { users: conditions(speaker, users) ?? some(t, users) }),
    ...(serves === undefined ? {} : { serves: shares(speaker, serves) }),
    ...(rules === undefined ? {} : { rules: groups(speaker, rules) }),
    ...(tags === undefined ? {} : { tags: tags === "nothing" ? "–" : tags }),
    ...(order === undefined ? {} : { order: some(t, order) }),
    ...(variations === undefined ? {} : { variations: some(t, variations) }),
  };
}

/** `ana, ben and 3 more`. */
function some(t: TFunction, text: string): string {
  const [, keys, more] = /^(.*) and (\d+) more$/.exec(text) ?? [];
  return keys === undefined ? text : t("command.andMore", { keys, count: Number(more) });
}

/** `10% ‘On’, 90% ‘Off’ by country`. */
function shares({ t, share, list }: Speaker, text: string): string {
  const [, all = text, property] = /^(.*’) by (.+)$/.exec(text) ?? [];
  const found = all.split(/, (?=\d)/).map((it) => PART.exec(it));
  const words = found.flatMap((it) => (it ? [`${share(Number(it[1]) / 100)} ${it[2]}`] : []));
  if (words.length < found.length) return text;
  const parts = list(words);
  return property === undefined ? parts : t("command.splitBy", { parts, property });
}

/** `age BiggerThan ‘22’ and name EndsWith ‘_qa’`. */
function conditions({ t, list }: Speaker, text: string): string | undefined {
  if (text === "nothing is asked") return t("command.everybody");
  const found = text.split(/(?<=’) and /).map((it) => CONDITION.exec(it));
  const words = found.flatMap((it) => {
    const [, property, op, value] = it ?? [];
    if (property === undefined || op === undefined || value === undefined || !isOperator(op)) {
      return [];
    }
    const kind = takes(op);
    // A value that was cut is no list any more.
    const items = kind === "list" || kind === "networks" ? listOf(value).join(", ") : value;
    const shown = kind === "nothing" ? "" : items || value;
    // Their words come with pages that show rules.
    const operator = t(`operator.${op}`, { defaultValue: op });
    return [t("command.condition", { property, op: operator, value: shown }).trim()];
  });
  return words.length < found.length ? undefined : list(words);
}

/** Rules of a segment, of which one is enough. */
function groups(speaker: Speaker, text: string): string {
  if (text === "nobody") return "–";
  const found = text.split("; or ").map((it) => conditions(speaker, it));
  const words = found.filter((it) => it !== undefined);
  return words.length < found.length ? text : speaker.either(words);
}
