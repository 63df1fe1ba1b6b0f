import { expect, it } from "vitest";
import { type WholeFlag, everybody, unreleased } from "./flag";
import { heldAt } from "./held";

const flag: WholeFlag["flag"] = {
  key: "new-cart",
  name: "New cart",
  description: "",
  type: "boolean",
  archived: false,
  tags: [],
  variations: [
    { id: "on", name: null, value: "true" },
    { id: "off", name: null, value: "false" },
  ],
  onVariation: "on",
  offVariation: "off",
};
const whole = (targets: string[], serves: string, version: number): WholeFlag => ({
  project: "web",
  flag: { ...flag, name: `At ${version}` },
  targetings: {
    prod: { ...unreleased(flag), targets: { on: targets }, defaultRule: everybody(serves) },
  },
  versions: { "web/prod": version },
});

it("one part stays as it was, the others are as they are", () => {
  const held = heldAt(whole(["ana"], "off", 2), whole([], "on", 1), "targets", "prod");
  expect(held.targetings["prod"]?.targets).toEqual({ on: [] });
  expect(held.targetings["prod"]?.defaultRule).toEqual(everybody("off"));
  expect(held.flag.name).toBe("At 2");
});

it("an edit of it is made on the version that was seen", () => {
  const held = heldAt(whole(["ana"], "off", 2), whole([], "on", 1), "targets", "prod");
  expect(held.versions).toEqual({ "web/prod": 1 });
});

it("variations are held with which of them are served first", () => {
  const before = whole([], "on", 1);
  const now = { ...whole([], "on", 2), flag: { ...flag, variations: [], onVariation: "x" } };
  const held = heldAt(now, before, "variations", "prod");
  expect(held.flag.variations).toHaveLength(2);
  expect(held.flag.onVariation).toBe("on");
});
