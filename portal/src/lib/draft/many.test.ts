import { describe, expect, it } from "vitest";
import { type WholeFlag, everybody } from "@/lib/model/flag";
import { type Draft, EMPTY, counts, editedIn, withCommands, withTargeting } from "./draft";
import type { Edit } from "./edit";

function checkout(): WholeFlag {
  const flag: WholeFlag["flag"] = {
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
  };
  const prod = {
    released: true,
    on: true,
    prerequisites: [],
    targets: {},
    rules: [],
    defaultRule: everybody("on"),
    offVariation: "off",
  };
  return { project: "web", flag, targetings: { prod }, versions: { web: 3, "web/prod": 41 } };
}

describe("commands that were worked out elsewhere", () => {
  const off = (flag: string): Edit => ({
    kind: "turnOff",
    project: "web",
    environment: "prod",
    flag,
  });

  it("take the place of what was to become of the same parts", () => {
    const on: Edit = { kind: "turnOn", project: "web", environment: "prod", flag: "checkout" };
    const named: Edit = { kind: "renameFlag", project: "web", flag: "checkout", name: "Till" };
    const draft: Draft = { base: { web: 3, "web/prod": 41 }, commands: [on, named] };
    const many = { base: { "web/prod": 44 }, commands: [off("checkout"), off("cart")] };
    expect(withCommands(draft, many)).toEqual({
      base: { web: 3, "web/prod": 41 },
      commands: [named, off("checkout"), off("cart")],
    });
  });

  it("are about segments of an environment, a project, and the organization", () => {
    const archived = (place: { project?: string; environment?: string }): Edit => ({
      kind: "archiveSegment",
      segment: "beta",
      ...place,
    });
    const places = [{}, { project: "web" }, { project: "web", environment: "prod" }];
    const base = { "": 2, web: 3, "web/prod": 41 };
    const draft = withCommands(EMPTY, { base, commands: places.map(archived) });
    expect(counts(draft)).toEqual([
      ["", 1],
      ["web", 1],
      ["web/prod", 1],
    ]);
    expect(draft.base).toEqual(base);
    expect(editedIn(draft, "segment", "web")).toEqual(new Set(["beta"]));
    expect(editedIn(draft, "flag", "web")).toEqual(new Set());
  });

  it("stay where the flag is edited on, as far as pages cannot show them", () => {
    const place = { project: "web", environment: "prod", flag: "checkout" };
    const tracked: Edit = { kind: "setTracking", ...place, tracked: true };
    const draft = withCommands(EMPTY, { base: { "web/prod": 41 }, commands: [tracked] });
    const after = withTargeting(draft, checkout(), "prod", (it) => ({ ...it, on: false }));
    expect(after.commands).toEqual([tracked, off("checkout")]);
  });
});
