import { expect, it } from "vitest";
import { type Shortcut, meant } from "./shortcuts";

const done: string[] = [];
const shortcut = (keys: string | string[]): Shortcut => ({
  keys,
  words: String(keys),
  run: () => done.push(String(keys)),
});
const all = [shortcut("c"), shortcut("g f"), shortcut("g c"), shortcut(["e", "Delete"])];

it("a key is an action, one of several, or the beginning of one", () => {
  expect(meant(all, undefined, "c").run).toBe(all[0]?.run);
  expect(meant(all, undefined, "Delete").run).toBe(all[3]?.run);
  expect(meant(all, undefined, "g")).toEqual({ begun: "g" });
  expect(meant(all, undefined, "f")).toEqual({});
});

it("the second key belongs to the first", () => {
  expect(meant(all, "g", "f").run).toBe(all[1]?.run);
  expect(meant(all, "g", "c").run).toBe(all[2]?.run);
  // Who goes on with something else means that.
  expect(meant(all, "g", "e").run).toBe(all[3]?.run);
});

it("what is only to be known does nothing", () => {
  const known: Shortcut = { keys: "j", words: "Next flag" };
  expect(meant([known], undefined, "j")).toEqual({});
});
