import { expect, it } from "vitest";
import { type WholeFlag, everybody, targetingIn } from "@/lib/model/flag";
import { applied } from "./apply";
import { EMPTY, withTargeting } from "./draft";

const whole: WholeFlag = {
  project: "web",
  flag: {
    key: "checkout",
    name: "Checkout",
    description: "",
    type: "boolean",
    archived: false,
    tags: [],
    variations: [
      { id: "on", name: "On", value: "true" },
      { id: "off", name: "Off", value: "false" },
    ],
    onVariation: "on",
    offVariation: "off",
  },
  targetings: {
    prod: {
      released: true,
      on: true,
      prerequisites: [],
      targets: {},
      rules: [],
      defaultRule: everybody("off"),
      offVariation: "off",
    },
  },
  versions: { web: 3, "web/prod": 41 },
};

it("sets what a flag needs in one edit, and nothing where that is as it was", () => {
  const needs = { flag: "payments", variation: "on" };
  const draft = withTargeting(EMPTY, whole, "prod", (it) => ({
    ...it,
    prerequisites: [needs],
    offVariation: "on",
  }));
  expect(draft.commands.map((it) => it.kind)).toEqual(["setPrerequisites", "setOffVariation"]);
  const view = applied(whole, draft.commands);
  expect(targetingIn(view, "prod").prerequisites).toEqual([needs]);
  const back = withTargeting(draft, whole, "prod", (it) => ({ ...it, prerequisites: [] }));
  expect(back.commands.map((it) => it.kind)).toEqual(["setOffVariation"]);
});
