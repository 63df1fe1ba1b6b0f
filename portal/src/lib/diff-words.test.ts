import i18next, { type TFunction } from "i18next";
import { describe, expect, it } from "vitest";
import { en } from "@/i18n/en";
import enRules from "@/i18n/en/pages/rules.json";
import { ja } from "@/i18n/ja";
import jaRules from "@/i18n/ja/pages/rules.json";
import { zh } from "@/i18n/zh";
import zhRules from "@/i18n/zh/pages/rules.json";
import type { Schemas } from "./api/client";
import { asks, namesSegments, said } from "./diff-words";
import { format } from "./format";
import { OPERATORS } from "./model/operators";
import type { Phrases } from "./phrases";

const resources = {
  en: { all: { ...en, ...enRules, flag: enRules.flag } },
  zh: { all: { ...zh, ...zhRules, flag: zhRules.flag } },
  ja: { all: { ...ja, ...jaRules, flag: jaRules.flag } },
};
type Language = keyof typeof resources;
const LANGUAGES = Object.keys(resources) as Language[];

const speakers = new Map<Language, Phrases>();
for (const lng of LANGUAGES) {
  const instance = i18next.createInstance();
  void instance.init({
    lng,
    defaultNS: "all",
    resources,
    initAsync: false,
    interpolation: { escapeValue: false, prefix: "{", suffix: "}" },
  });
  const segment = (id: string) => ({ s1: "Beta", s2: "Staff" })[id];
  const { share, list, either } = format(lng);
  speakers.set(lng, { t: instance.t.bind(instance) as TFunction, share, list, either, segment });
}
const speaker = (language: Language) => speakers.get(language) as Phrases;

type Line = Pick<Schemas["DiffLine"], "params" | "of">;

const line = (language: Language, code: string, of: Line) =>
  speaker(language).t(`diff.${code}` as "diff.turnedOn", {
    ...said(speaker(language), of),
    defaultValue: "",
  });

const serves = [
  { share: 0.1, variation: "On" },
  { share: 0.9, variation: null },
];
const conditions = [
  { property: "country", op: "IsOneOf", value: '["de","fr"]', more: 3 },
  { property: "age", op: "BiggerEqualThan", value: "22" },
  { property: "User is in segment", op: null, value: '["s1","s2"]' },
];
/** One of each code that is more than names. */
const LINES: Record<string, Line> = {
  ruleAdded: {
    params: { rule: "‘Beta’", users: "x", serves: "x" },
    of: { conditions, serves, by: "country" },
  },
  ruleChanged: {
    params: { rule: "‘Beta’", users: "nothing is asked", serves: "x" },
    of: { conditions: [], serves: [{ share: 1, variation: "On" }] },
  },
  defaultRuleSet: { params: { serves: "x" }, of: { serves } },
  rulesReordered: { params: { order: "x" }, of: { items: ["One", "Two"], more: 2 } },
  targetsAdded: {
    params: { users: "x", variation: "x" },
    of: { items: ["ana", "ben"], more: 3, variation: "On" },
  },
  targetsRemoved: {
    params: { users: "x", variation: "x" },
    of: { items: ["ana"], variation: null },
  },
  flagCreated: { params: { type: "boolean", variations: "x" }, of: { items: ["true", "false"] } },
  flagTagged: { params: { tags: "x" }, of: { items: ["a", "b"], more: 1 } },
  segmentTagged: { params: { tags: "nothing" }, of: { items: [] } },
  membersAdded: { params: { list: "included", users: "x" }, of: { items: ["ana"], more: 9 } },
  membersRemoved: { params: { list: "excluded", users: "x" }, of: { items: ["ana", "ben"] } },
  segmentRulesSet: { params: { rules: "x" }, of: { rules: [conditions, []], more: 2 } },
  prerequisitesSet: {
    params: { prerequisites: "x" },
    of: { items: ["pay serves ‘On’", "cart serves an unknown variation (1)"], more: 0 },
  },
  offVariationSet: { params: { variation: "x" }, of: { variation: "Off" } },
  variationAdded: { params: { variation: "x", value: "3" }, of: { variation: "Three" } },
  variationRemoved: { params: { variation: "x" }, of: { variation: "Three" } },
  variationChanged: { params: { variation: "x", from: "1", to: "3" }, of: { variation: "Three" } },
  variationNamed: { params: { variation: "x", to: "" }, of: { variation: "3" } },
};

describe.each(LANGUAGES)("%s", (language) => {
  it("says each line from its parts", () => {
    const all = Object.entries(LINES).map(([code, of]) => `${code}: ${line(language, code, of)}`);
    expect(all).toMatchSnapshot();
    // Nothing of what the server writes for those who read English.
    expect(all.filter((it) => /\bx\b|\{|undefined/.test(it))).toEqual([]);
  });

  it("has words for each operator", () => {
    for (const op of Object.keys(OPERATORS)) {
      const of = { conditions: [{ property: "p", op, value: '["1"]' }] };
      const { users } = said(speaker(language), { params: { users: "x" }, of });
      expect(users).not.toMatch(/x|[a-z][A-Z]/);
      expect(users?.startsWith("p ") || users?.startsWith("p")).toBe(true);
    }
  });
});

it("a line of old is said as it is written", () => {
  const odd = {
    serves: "an odd variation (x)",
    users: "ana and ben",
    rules: "somebody ‘odd’; or nobody knows",
    flag: "checkout",
  };
  expect(said(speaker("en"), { params: odd })).toEqual({ ...odd, context: "" });
});

it("segments of which the name is not known are not said by their ids", () => {
  const of = { conditions: [{ property: "User is in segment", value: '["gone"]' }] };
  const { users } = said(speaker("en"), { params: { users: "x" }, of });
  expect(users).toBe("user is in segment");
  expect(namesSegments({ params: {}, of })).toBe(true);
  expect(asks({ params: {}, of })).toBe(true);
  expect(asks({ params: {}, of: { items: ["ana"] } })).toBe(false);
});
