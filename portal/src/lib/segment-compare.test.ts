import { describe, expect, it } from "vitest";
import type { Schemas } from "./api/client";
import { comparedSegments, onlyIn, takeSegment } from "./segment-compare";

type Past = Schemas["PastSegment"];

const past = (key: string, more: Partial<Past> = {}): Past => ({
  id: key,
  key,
  name: key,
  description: "",
  included: ["ana", "ben"],
  excluded: [],
  rules: [],
  isArchived: false,
  version: 1,
  updatedAt: "2026-11-22T10:00:00Z",
  ...more,
});

const prod = { project: "web", environment: "prod" };

describe("segments of two environments", () => {
  it("are there where they differ, part by part", () => {
    const found = comparedSegments(
      [past("same"), past("users", { included: ["ana", "chen"] }), past("here")],
      [past("same", { included: ["ben", "ana"] }), past("users"), past("there")],
    );
    expect(found.map(({ key, parts }) => [key, parts.join()])).toEqual([
      ["here", "state,details,included,rules,excluded"],
      ["there", "state,details,included,rules,excluded"],
      ["users", "included"],
    ]);
    expect(onlyIn(["ana", "chen"], ["ana", "ben"])).toBe(1);
  });

  it("are not told apart by the ids of rules, nor looked at where both are archived", () => {
    const rule = (id: string) => ({ id, name: "Young", conditions: [] });
    const archived = { isArchived: true };
    const found = comparedSegments(
      [past("a", { rules: [rule("1")] }), past("old", archived), past("left", archived)],
      [past("a", { rules: [rule("2")] }), past("old", { ...archived, included: [] })],
    );
    expect(found).toEqual([]);
  });

  it("are made where they are not there, else edited", () => {
    const [users, fresh] = comparedSegments(
      [past("a", { included: ["ana", "chen"], name: "A" }), past("b")],
      [past("a")],
    );
    expect(users && takeSegment(prod, users).map((it) => it.kind)).toEqual([
      "renameSegment",
      "removeIncluded",
      "addIncluded",
    ]);
    expect(users && takeSegment(prod, users, ["details"]).map((it) => it.kind)).toEqual([
      "renameSegment",
    ]);
    expect(fresh && takeSegment(prod, fresh)).toMatchObject([
      { kind: "createSegment", ...prod, segment: "b", included: ["ana", "ben"] },
    ]);
  });
});
