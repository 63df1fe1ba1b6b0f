import i18next, { type TFunction } from "i18next";
import { beforeAll, expect, it } from "vitest";
import { en } from "@/i18n/en";
import rules from "@/i18n/en/pages/rules.json";
import { format } from "./format";
import type { Edit } from "./draft/edit";
import { everybody } from "./model/flag";
import { withShare } from "./model/rollout";
import { conditionWords } from "./phrases";
import { type Speaker, servingWords, wordsOf } from "./words";

let speaker: Speaker;

const variations = [
  { id: "on", name: "On", value: "true" },
  { id: "off", name: null, value: "false" },
];

beforeAll(async () => {
  await i18next.init({
    lng: "en",
    defaultNS: "all",
    resources: { en: { all: { ...en, ...rules } } },
    interpolation: { escapeValue: false, prefix: "{", suffix: "}" },
  });
  const { share, list, either } = format("en");
  const flag = {
    key: "checkout",
    name: "Checkout",
    description: "",
    type: "boolean" as const,
    archived: false,
    tags: [],
    variations,
    onVariation: "on",
    offVariation: "off",
  };
  const whole = { project: "web", flag, targetings: {}, versions: {} };
  speaker = { t: i18next.t.bind(i18next) as TFunction, share, list, either, whole };
});

it("shares are said with whom they are of, and by what", () => {
  const ten = withShare(everybody("off"), "on", 0.1, ["on", "off"]);
  expect(servingWords(speaker, ten, variations)).toBe("90% false and 10% On");
  expect(servingWords(speaker, { ...ten, dispatchKey: "country" }, variations)).toBe(
    "90% false and 10% On by country",
  );
  expect(servingWords(speaker, everybody("on"), variations)).toBe("On");
});

it("conditions are one phrase each", () => {
  const conditions = [
    { property: "country", op: "IsOneOf", value: '["de","at"]' },
    { property: "beta", op: "IsTrue", value: "" },
  ];
  expect(conditionWords(speaker, conditions)).toBe("country is one of de, at and beta is true");
  expect(conditionWords(speaker, [])).toBe("everybody");
});

it("an edit says what shall be", () => {
  const place = { project: "web", environment: "prod", flag: "checkout" };
  const keys = ["a", "b", "c", "d", "e", "f", "g"];
  expect(wordsOf(speaker, { ...place, kind: "turnOff" })).toBe("turned off");
  expect(wordsOf(speaker, { ...place, kind: "addTargets", variation: "on", keys })).toBe(
    "On to a, b, c, d, e and 2 more",
  );
  const prerequisites = ["payments", "cart"].map((flag) => ({ flag, variation: "on" }));
  expect(wordsOf(speaker, { ...place, kind: "setPrerequisites", prerequisites })).toBe(
    "needs payments, cart",
  );
  expect(wordsOf(speaker, { ...place, kind: "setPrerequisites", prerequisites: [] })).toBe(
    "needs no other flag",
  );
  expect(wordsOf(speaker, { ...place, kind: "setOffVariation", variation: "off" })).toBe(
    "false while off",
  );
});

const KINDS: Record<Edit["kind"], true> = {
  createFlag: true,
  renameFlag: true,
  describeFlag: true,
  setFlagTags: true,
  setVariations: true,
  updateVariation: true,
  archiveFlag: true,
  restoreFlag: true,
  deleteFlag: true,
  turnOn: true,
  turnOff: true,
  setTargets: true,
  addTargets: true,
  removeTargets: true,
  setRules: true,
  addRule: true,
  updateRule: true,
  removeRule: true,
  moveRule: true,
  setDefaultRule: true,
  setOffVariation: true,
  setPrerequisites: true,
  setTracking: true,
  createSegment: true,
  renameSegment: true,
  describeSegment: true,
  setSegmentTags: true,
  setIncluded: true,
  addIncluded: true,
  removeIncluded: true,
  setExcluded: true,
  addExcluded: true,
  removeExcluded: true,
  setSegmentRules: true,
  archiveSegment: true,
  restoreSegment: true,
  deleteSegment: true,
};

it("every kind of command has words", () => {
  const known = Object.keys(rules.command).map((key) => key.replace(/_(one|other)$/, ""));
  expect(Object.keys(KINDS).filter((it) => !known.includes(it))).toEqual([]);
});

it("a segment's rules are alternatives", () => {
  const condition = (value: string) => [{ property: "country", op: "Equal", value }];
  const rules = [{ conditions: condition("de") }, { conditions: condition("at") }];
  expect(wordsOf(speaker, { kind: "setSegmentRules", segment: "beta", rules })).toBe(
    "takes in users where country is de or country is at",
  );
});
