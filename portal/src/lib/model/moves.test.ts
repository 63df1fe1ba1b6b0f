import { expect, it } from "vitest";
import { type Serving, everybody } from "./flag";
import { shifts } from "./moves";
import { withBorder, withShare } from "./rollout";

const ids = ["a", "b", "c"];
const of = (...parts: [string, number, number][]): Serving => ({
  ...everybody("a"),
  parts: parts.map(([id, from, to]) => ({ id, rollout: [from, to], exptRollout: 1 })),
});

it("a raise moves those between the borders, and no others", () => {
  const ten = of(["a", 0, 0.1], ["b", 0.1, 1]);
  const fifty = withShare(ten, "a", 0.5, ids);
  expect(shifts(ten, fifty)).toEqual({
    moved: [{ from: "b", to: "a", share: 0.4 }],
    kept: [
      { from: "a", to: "a", share: 0.1 },
      { from: "b", to: "b", share: 0.5 },
    ],
  });
});

it("another property splits everybody anew", () => {
  const half = of(["a", 0, 0.5], ["b", 0.5, 1]);
  expect(shifts(half, { ...half, dispatchKey: "country" })).toBeUndefined();
  expect(shifts(half, { ...half, dispatchKey: "keyId" })?.moved).toEqual([]);
});

it("a border moves between its two neighbours", () => {
  const thirds = of(["a", 0, 0.3], ["b", 0.3, 0.6], ["c", 0.6, 1]);
  expect(withBorder(thirds, 0, 0.5).parts.map((it) => it.rollout)).toEqual([
    [0, 0.5],
    [0.5, 0.6],
    [0.6, 1],
  ]);
  // It stops at the next one.
  expect(withBorder(thirds, 0, 0.9).parts.map((it) => it.id)).toEqual(["a", "b", "c"]);
  expect(withBorder(thirds, 0, 0.9).parts[1]?.rollout).toEqual([0.6, 0.6]);
});
