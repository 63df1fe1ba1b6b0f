import { describe, expect, it } from "vitest";
import type { Schemas } from "@/lib/api/client";
import { digitsFor, verdictOf } from "./why";

const split = (bucket: number | null, taken: string): Schemas["Split"] => ({
  by: "keyId",
  bucket,
  value: "ana",
  parts: [
    { variation: "on", from: 0, to: 0.1, taken: taken === "on" },
    { variation: "off", from: 0.1, to: 1, taken: taken === "off" },
  ],
});

const answer = (
  code: string,
  params: Record<string, string>,
  of?: Schemas["Split"],
): Schemas["FlagEvaluation"] => ({
  flag: "new-cart",
  reason: { code, params, text: "" },
  sendToExperiment: false,
  steps: [
    { kind: "off", result: "passed" },
    { kind: "rule", result: "taken", ...(of ? { split: of } : {}) },
  ],
});

const second = { rule: "r", index: "1", name: "Germany" };

describe("the sentence", () => {
  it("says which share somebody is out of", () => {
    expect(verdictOf(answer("rule", second, split(0.634, "off")), "on")).toEqual({
      code: "rule",
      rule: { id: "r", index: 1, name: "Germany" },
      split: "outside",
      at: 0.634,
      ranges: [[0, 0.1]],
      wanted: "on",
    });
  });

  it("says which share somebody is in", () => {
    const inside = verdictOf(answer("default", {}, split(0.05, "on")), "on");
    expect(inside).toMatchObject({ code: "default", split: "within", ranges: [[0, 0.1]] });
    // Where the other variation is what the flag is for.
    const other = verdictOf(answer("default", {}, split(0.634, "off")), "off");
    expect(other).toMatchObject({ split: "within", ranges: [[0.1, 1]] });
  });

  it("says nothing of a split where everybody gets the same", () => {
    expect(verdictOf(answer("default", {}, split(null, "on")), "on")).toEqual({ code: "default" });
  });

  it("says what another flag serves instead", () => {
    const params = { flag: "payments", variation: "on", index: "0" };
    const needed = {
      flag: "payments",
      name: "Payments",
      variation: "on",
      served: "off",
      met: false,
    };
    const told = answer("prerequisite", params);
    told.steps = [{ kind: "prerequisite", result: "taken", prerequisite: needed }];
    expect(verdictOf(told, "on")).toEqual({ code: "prerequisite", needed });
    // Where no steps are told, it is known of which flag.
    expect(verdictOf({ ...told, steps: [] }, "on").needed).toEqual({
      flag: "payments",
      variation: "on",
    });
  });

  it("says who is left out, and what is not there", () => {
    const out = answer("rule", { ...second, nothing: "uncovered" }, split(0.9, ""));
    expect(verdictOf(out, "on")).toMatchObject({ code: "rule", split: "uncovered", at: 0.9 });
    const gone = answer("off", { nothing: "variationUnknown" });
    expect(verdictOf(gone, "on").code).toBe("unknown");
    expect(verdictOf(answer("notReleased", {}), "on")).toEqual({ code: "notReleased" });
  });
});

it("a place is never shown on a border that it is not on", () => {
  expect(digitsFor(0.634, [0, 0.1, 1])).toBe(1);
  expect(digitsFor(0.1004, [0, 0.1, 1])).toBe(2);
  expect(digitsFor(0.100_004, [0, 0.1, 1])).toBe(4);
});
