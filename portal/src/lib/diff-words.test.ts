import i18next, { type TFunction } from "i18next";
import { beforeAll, expect, it } from "vitest";
import { en } from "@/i18n/en";
import rules from "@/i18n/en/pages/rules.json";
import { type Speaker, said } from "./diff-words";
import { format } from "./format";

let speaker: Speaker;

beforeAll(async () => {
  await i18next.init({
    lng: "en",
    defaultNS: "all",
    resources: { en: { all: { ...en, ...rules } } },
    interpolation: { escapeValue: false, prefix: "{", suffix: "}" },
  });
  const { share, list, either } = format("en");
  speaker = { t: i18next.t.bind(i18next) as TFunction, share, list, either };
});

it("shares, conditions and lists are said in the reader's words", () => {
  const serves = [
    { share: 0.1, variation: "On" },
    { share: 0.9, variation: "Off" },
  ];
  expect(said(speaker, { params: { serves: "…" }, of: { serves, by: "country" } })).toEqual({
    serves: "10% ‘On’ and 90% ‘Off’ by country",
  });
  const conditions = [
    { property: "country", op: "IsOneOf", value: '["de","fr"]', more: 3 },
    { property: "age", op: "BiggerThan", value: "22" },
  ];
  expect(said(speaker, { params: { users: "…" }, of: { conditions } })).toEqual({
    users: "country is one of de, fr and 3 more and age > 22",
  });
  expect(said(speaker, { params: { users: "…" }, of: { conditions: [] } })).toEqual({
    users: "everybody",
  });
  expect(
    said(speaker, {
      params: { users: "…" },
      of: { items: ["ana", "ben"], more: 3, variation: "On" },
    }),
  ).toEqual({ users: "ana, ben and 3 more", variation: "‘On’" });
  expect(said(speaker, { params: { tags: "nothing" }, of: { items: [] } })).toEqual({ tags: "–" });
});

it("what has no parts is said as it is written", () => {
  const params = { serves: "‘On’", flag: "checkout" };
  expect(said(speaker, { params })).toEqual(params);
});
