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
  expect(said(speaker, { serves: "10% ‘On’, 90% ‘Off’ by country" })).toEqual({
    serves: "10% ‘On’ and 90% ‘Off’ by country",
  });
  expect(said(speaker, { users: 'country IsOneOf ‘["de","fr"]’ and age BiggerThan ‘22’' })).toEqual(
    { users: "country is one of de, fr and age > 22" },
  );
  expect(said(speaker, { users: "nothing is asked" })).toEqual({ users: "everybody" });
  expect(said(speaker, { users: "ana, ben and 3 more" })).toEqual({ users: "ana, ben and 3 more" });
  expect(said(speaker, { tags: "nothing" })).toEqual({ tags: "–" });
});

it("what is written otherwise stays as it is", () => {
  const odd = {
    serves: "an unknown variation (x)",
    users: "ana and ben",
    rules: "somebody ‘odd’; or nobody knows",
    flag: "checkout",
  };
  expect(said(speaker, odd)).toEqual(odd);
  expect(said(speaker, { serves: "‘On’" })).toEqual({ serves: "‘On’" });
});
