import { expect, it } from "vitest";
import { jsonDiff } from "./json-diff";

const diff = (a: unknown, b: unknown) => jsonDiff(JSON.stringify(a), JSON.stringify(b));

it("says what differs by its path", () => {
  const before = { max: 10, tiers: [{ name: "free", requests: 100 }], "a b": 1, gone: null };
  const after = { tiers: [{ requests: 200, name: "free" }], max: 10, "a b": 2, new: { x: [] } };
  expect(diff(before, after)).toEqual([
    { path: "tiers[0].requests", before: "100", after: "200" },
    { path: '["a b"]', before: "1", after: "2" },
    { path: "gone", before: "null" },
    { path: "new", after: '{"x":[]}' },
  ]);
});

it("what is put into a list is one change", () => {
  expect(diff([1, 2, 3], [0, 1, 2, 3])).toEqual([{ path: "[0]", after: "0" }]);
  expect(diff([1, 2, 3], [1, 3])).toEqual([{ path: "[1]", before: "2" }]);
});

it("another order of keys, or of spaces, is no change; another kind of value is one", () => {
  expect(jsonDiff('{"a":1,"b":2}', '{ "b": 2, "a": 1 }')).toEqual([]);
  expect(diff({ a: [1] }, { a: { x: 1 } })).toEqual([
    { path: "a", before: "[1]", after: '{"x":1}' },
  ]);
  expect(jsonDiff("{", "{}")).toBeUndefined();
  expect(jsonDiff("1", "2")).toBeUndefined();
});
