import i18next, { type TFunction } from "i18next";
import { beforeAll, expect, it } from "vitest";
import { en } from "@/i18n/en";
import { format } from "./format";
import { everybody } from "./model/flag";
import { withShare } from "./model/rollout";
import { type Speaker, conditionWords, servingWords, wordsOf } from "./words";

let speaker: Speaker;

beforeAll(async () => {
  await i18next.init({
    lng: "en",
    defaultNS: "all",
    resources: { en: { all: en } },
    interpolation: { escapeValue: false, prefix: "{", suffix: "}" },
  });
  const { share, list } = format("en");
  const variations = [
    { id: "on", name: "On", value: "true" },
    { id: "off", name: null, value: "false" },
  ];
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
  speaker = { t: i18next.t.bind(i18next) as TFunction, share, list, whole };
});

it("shares are said with whom they are of, and by what", () => {
  const ten = withShare(everybody("off"), "on", 0.1, ["on", "off"]);
  expect(servingWords(speaker, ten)).toBe("90% false and 10% On");
  expect(servingWords(speaker, { ...ten, dispatchKey: "country" })).toBe(
    "90% false and 10% On by country",
  );
  expect(servingWords(speaker, everybody("on"))).toBe("On");
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
  expect(wordsOf(speaker, { ...place, kind: "setOffVariation", variation: "off" })).toBe(
    "false while off",
  );
});
