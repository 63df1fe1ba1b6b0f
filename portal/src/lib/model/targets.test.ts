import { expect, it } from "vitest";
import { inTwo, once, withTargets } from "./targets";

it("who is put on one list leaves the others, and that is said", () => {
  const next = withTargets({ a: ["ana", "ben"], b: ["carl"] }, "b", ["carl", "ana"]);
  expect(next.targets).toEqual({ a: ["ben"], b: ["carl", "ana"] });
  expect(next.taken).toEqual([{ variation: "a", keys: ["ana"] }]);
  expect(withTargets({ a: ["ana"] }, "a", []).targets).toEqual({});
});

it("a key on two lists is found, and stays on the first", () => {
  const targets = { a: ["ana", "ben"], b: ["ben", "carl"] };
  expect(inTwo(targets, ["a", "b"])).toEqual(["ben"]);
  expect(once(targets, ["a", "b"])).toEqual({ a: ["ana", "ben"], b: ["carl"] });
});
