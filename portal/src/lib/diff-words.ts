/** What a diff line is made of, said in the reader's words: lists, shares, conditions. */
import type { TFunction } from "i18next";
import type { Schemas } from "./api/client";
import { isOperator, listOf, takes } from "./model/operators";

export interface Speaker {
  t: TFunction;
  share: (share: number) => string;
  list: (items: string[]) => string;
  either: (items: string[]) => string;
}

interface Line {
  params: Record<string, string>;
  of?: Schemas["Parts"] | null | undefined;
}

/** Lists of a line, each under the one name that the API has for them. */
const LISTS = ["users", "order", "variations", "tags"] as const;

/** The parameters of a line, as they stand in its sentence; in English where the API has no parts. */
export function said(speaker: Speaker, { params, of }: Line): Record<string, string> {
  if (!of) return params;
  const { t } = speaker;
  const { serves, by, conditions, items, rules, more = 0, variation } = of;
  const words = { ...params };
  if (variation != null) words["variation"] = `‘${variation}’`;
  if (serves) words["serves"] = shares(speaker, serves, by ?? undefined);
  if (conditions) words["users"] = all(speaker, conditions);
  if (rules) {
    const any = rules.map((it) => all(speaker, it));
    const keys = any.length === 0 ? "–" : speaker.either(any);
    words["rules"] = more > 0 ? t("command.andMore", { keys, count: more }) : keys;
  }
  const name = items && LISTS.find((it) => it in params);
  if (name) {
    const keys = items.length === 0 ? "–" : items.join(", ");
    words[name] = more > 0 ? t("command.andMore", { keys, count: more }) : keys;
  }
  return words;
}

function shares({ t, share, list }: Speaker, of: Schemas["Share"][], by?: string): string {
  const name = (it: Schemas["Share"]) => `‘${it.variation ?? "?"}’`;
  const [first] = of;
  if (!first) return "–";
  if (of.length === 1) return name(first);
  const parts = list(of.map((it) => `${share(it.share)} ${name(it)}`));
  return by === undefined ? parts : t("command.splitBy", { parts, property: by });
}

/** What is asked, all of it. */
function all({ t, list }: Speaker, conditions: Schemas["Asked"][]): string {
  if (conditions.length === 0) return t("command.everybody");
  return list(
    conditions.map(({ property, op, value, more = 0 }) => {
      const kind = takes(op ?? null);
      const known = kind === "list" || kind === "networks";
      const keys = (known && listOf(value ?? null).join(", ")) || (value ?? "");
      const shown = more > 0 ? t("command.andMore", { keys, count: more }) : keys;
      return t("command.condition", {
        property,
        // Their words come with pages that show rules.
        op: isOperator(op ?? null)
          ? t(`operator.${op}` as "operator.Equal", { defaultValue: op ?? "" })
          : (op ?? ""),
        value: kind === "nothing" ? "" : shown,
      }).trim();
    }),
  );
}
