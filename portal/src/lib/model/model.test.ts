import { describe, expect, it } from "vitest";
import { type Serving, everybody } from "./flag";
import { converted, pasted, suggested } from "./operators";
import { merged, only, withShare } from "./rollout";

const ids = ["a", "b", "c"];
const of = (...shares: [string, number, number][]): Serving => ({
  ...everybody("a"),
  parts: shares.map(([id, from, to]) => ({ id, rollout: [from, to], exptRollout: 1 })),
});
const parts = (serving: Serving) => serving.parts.map(({ id, rollout }) => [id, ...rollout]);

describe("a rollout", () => {
  it("takes a share from who has everything, at the far end", () => {
    expect(parts(withShare(everybody("b"), "a", 0.1, ["a", "b"]))).toEqual([
      ["b", 0, 0.9],
      ["a", 0.9, 1],
    ]);
  });

  it("moves the border alone: who has it keeps it", () => {
    const ten = of(["a", 0, 0.1], ["b", 0.1, 1]);
    expect(parts(withShare(ten, "a", 0.5, ids))).toEqual([
      ["a", 0, 0.5],
      ["b", 0.5, 1],
    ]);
    expect(parts(withShare(ten, "b", 0.5, ids))).toEqual([
      ["a", 0, 0.5],
      ["b", 0.5, 1],
    ]);
  });

  it("always covers everybody", () => {
    const thirds = of(["a", 0, 0.333], ["b", 0.333, 0.666], ["c", 0.666, 1]);
    for (const share of [0, 0.001, 0.25, 0.9, 1]) {
      const next = withShare(thirds, "b", share, ids);
      const total = merged(next).reduce((sum, [, size]) => sum + size, 0);
      expect(total).toBeCloseTo(1, 9);
      expect(next.parts[0]?.rollout[0]).toBe(0);
      expect(next.parts.at(-1)?.rollout[1]).toBe(1);
    }
  });

  it("gives the rest to another where one had everything", () => {
    expect(merged(withShare(everybody("a"), "a", 0.25, ids))).toEqual([
      ["a", 0.25],
      ["b", 0.75],
    ]);
    expect(only(withShare(everybody("a"), "b", 1, ids))).toBe("b");
  });
});

it("the operator follows what is really sent", () => {
  expect(suggested(["de", "at"])).toBe("IsOneOf");
  expect(suggested(["2.3.1", "2.10.0"])).toBe("SemverBiggerEqualThan");
  expect(suggested(["2.3", "2.10.0"])).toBe("SemverBiggerEqualThan");
  expect(suggested(["2026-11-22", "2026-11-23T10:00:00Z"])).toBe("After");
  expect(suggested(["18", "41"])).toBe("BiggerEqualThan");
  expect(suggested(["true", "False"])).toBe("IsTrue");
  expect(suggested([])).toBe("IsOneOf");
});

it("a value survives another operator", () => {
  expect(converted("de", "text", "list")).toBe('["de"]');
  expect(converted('["de","at"]', "list", "text")).toBe("de");
  expect(converted("de", "text", "nothing")).toBe("");
});

it("pasted lists come in many forms", () => {
  expect(pasted("ana\nben\r\n ana ,carl;\t")).toEqual(["ana", "ben", "carl"]);
});
