/** What a line of a diff is made of, in the reader's words: lists, shares, conditions. */
import type { Schemas } from "./api/client";
import { NAMED, type Phrases, asksSegments, conditionWords, shareWords, some } from "./phrases";

type Line = Pick<Schemas["DiffLine"], "params" | "of">;
type Said = Record<string, string>;

/** The parameters of a line, as they stand in its sentence; lines of old have no parts. */
export function said(phrases: Phrases, { params, of }: Line): Said {
  const { rule } = params;
  return {
    ...params,
    ...(rule === undefined ? {} : { rule: quoted(phrases, rule.replace(/^‘|’$/g, "")) }),
    ...(of ? ofParts(phrases, params, of) : {}),
    context: params["list"] ?? contextOf(params),
  };
}

/** Which of its sentences says a line that has several. */
function contextOf({ to, tags, rules, rule, users }: Partial<Said>): string {
  if (to === "" || tags === "nothing" || rules === "nobody") return "none";
  return rule !== undefined && users === "nothing is asked" ? "everybody" : "";
}

/** Whether words of the page `rules` are needed to say it. */
export const asks = ({ of }: Line): boolean =>
  of != null && (of.conditions != null || of.rules != null || of.by != null || (of.more ?? 0) > 0);

/** Whether segments are named in it, by ids. */
export const namesSegments = ({ of }: Line): boolean =>
  [of?.conditions ?? [], ...(of?.rules ?? [])].flat().some(asksSegments);

/** Lists of a line, each under the one name that the API has for them; whether items are quoted. */
const LISTS = { users: false, tags: false, order: true, variations: true } as const;

function ofParts(phrases: Phrases, params: Said, of: Schemas["Parts"]): Said {
  const { t, either } = phrases;
  const named = (name: string | null | undefined) =>
    name == null ? t("diff.unknownVariation") : quoted(phrases, name);
  const { serves, by, conditions, rules, items, more = 0, variation } = of;
  const parts: Said = {};
  if (serves) {
    const shares = serves.map((it) => ({ share: it.share, name: named(it.variation) }));
    parts["serves"] = shareWords(phrases, shares, by);
  }
  if (conditions) parts["users"] = conditionWords(phrases, conditions);
  if (rules && rules.length > 0) {
    const any = either(rules.map((it) => conditionWords(phrases, it)));
    parts["rules"] = more > 0 ? t("diff.orMore", { rules: any, count: more }) : any;
  }
  for (const [name, inQuotes] of Object.entries(LISTS)) {
    if (!items || params[name] === undefined) continue;
    const shown = inQuotes ? items.map((it) => quoted(phrases, it)) : items;
    // Of values in quotes no comma of another script comes between.
    const whole = name === "variations" && more === 0 && shown.length <= NAMED;
    parts[name] = whole ? phrases.list(shown) : some(phrases, shown, more);
  }
  if (items && params["prerequisites"] !== undefined) {
    const needed = items.map((it) => neededWords(phrases, it));
    parts["prerequisites"] = more > 0 ? some(phrases, needed, more) : phrases.list(needed);
  }
  if (variation !== undefined) parts["variation"] = named(variation);
  return parts;
}

/** `checkout serves ‘On’`, as the API has it; a key has no spaces. */
function neededWords(phrases: Phrases, item: string): string {
  const [, flag, variation] = /^(\S+) serves (.*)$/s.exec(item) ?? [];
  if (flag === undefined || variation === undefined) return item;
  const name = /^‘(.*)’$/s.exec(variation)?.[1];
  return phrases.t("diff.prerequisite", {
    flag,
    variation: name === undefined ? phrases.t("diff.unknownVariation") : quoted(phrases, name),
  });
}

const quoted = ({ t }: Phrases, text: string) => t("diff.quoted", { text });
