import { expect, it } from "vitest";
import { parsed } from "./events";
import { chosen, readFilter, tagsOf } from "./filter";
import type { Schemas } from "./api/client";

const item = (key: string, more: Partial<Schemas["IndexedFlagView"]> = {}) => ({
  key,
  name: key.toUpperCase(),
  tags: [],
  type: "boolean" as const,
  state: "live" as const,
  createdAt: "2026-11-22T08:00:00.000Z",
  variations: ["On", "Off"],
  cells: [null, null],
  ...more,
});
const cell = (on: boolean) => ({ on, shares: [1, 0], rules: false, targets: false });
const index: Schemas["FlagIndex"] = {
  versions: {},
  environments: ["prod", "dev"],
  items: [
    item("cart", { tags: ["shop"], cells: [cell(true), null] }),
    item("search", { tags: ["shop", "text"], cells: [cell(false), cell(true)] }),
    item("old", { state: "archived" }),
  ],
};
const keys = (search: Record<string, unknown>) =>
  chosen(index, readFilter(search)).map((it) => it.key);

it("an address chooses flags", () => {
  expect(keys({})).toEqual(["cart", "search"]);
  expect(keys({ q: "CART shop" })).toEqual(["cart"]);
  expect(keys({ tag: "text" })).toEqual(["search"]);
  expect(keys({ on: "prod" })).toEqual(["cart"]);
  expect(keys({ off: "dev" })).toEqual(["cart"]);
  expect(keys({ archived: true })).toEqual(["old"]);
  expect(keys({ type: "json" })).toEqual([]);
});

it("what is no filter is not read", () => {
  expect(readFilter({ type: "float", q: "", x: 1, tag: 2026 })).toEqual({ tag: "2026" });
});

it("the most used tags come first", () => {
  expect(tagsOf(index)).toEqual(["shop", "text"]);
});

it("a message of the stream is read line by line", () => {
  expect(parsed('event: change\nid: 7\ndata: {"a":1}')).toEqual({
    event: "change",
    id: "7",
    data: '{"a":1}',
  });
  expect(parsed(": nothing").event).toBe("message");
});
