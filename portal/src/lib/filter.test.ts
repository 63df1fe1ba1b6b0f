import { expect, it } from "vitest";
import { parsed } from "./events";
import { chosen, parsedFilter, readFilter, readSearch, sorted, tagsOf, written } from "./filter";
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
const cell = (on: boolean) => ({
  on,
  shares: [1, 0],
  rules: false,
  targets: false,
  prerequisites: false,
});
const changed = (at: string, by: string) => ({ at, by, number: 1 });
const index: Schemas["FlagIndex"] = {
  versions: {},
  environments: ["prod", "dev"],
  items: [
    item("cart", {
      tags: ["shop"],
      cells: [cell(true), null],
      changed: changed("2026-11-22T09:00:00.000Z", "ana@example.org"),
      createdAt: "2026-11-20T08:00:00.000Z",
    }),
    item("search", {
      tags: ["shop", "text"],
      cells: [cell(false), cell(true)],
      changed: changed("2026-11-22T10:00:00.000Z", "ben@example.org"),
      stale: { code: "notEvaluated" },
    }),
    item("old", { state: "archived" }),
  ],
};
const keys = (search: Record<string, unknown>) =>
  chosen(index, readFilter(search), ["ana@example.org"]).map((it) => it.key);

it("an address chooses flags", () => {
  expect(keys({})).toEqual(["cart", "search"]);
  expect(keys({ q: "CART shop" })).toEqual(["cart"]);
  expect(keys({ tag: "text" })).toEqual(["search"]);
  expect(keys({ tag: "shop,text" })).toEqual(["search"]);
  expect(keys({ on: "prod" })).toEqual(["cart"]);
  expect(keys({ off: "dev" })).toEqual(["cart"]);
  expect(keys({ archived: true })).toEqual(["old"]);
  expect(keys({ type: "json" })).toEqual([]);
  expect(keys({ stale: true })).toEqual(["search"]);
  expect(keys({ mine: true })).toEqual(["cart"]);
});

it("what is no filter is not read", () => {
  const odd = { type: "float", q: "", x: 1, tag: 2026, sort: "size", stale: "no" };
  expect(readFilter(odd)).toEqual({ tag: "2026" });
  expect(readSearch({ create: true, like: "cart", change: "7", q: "a" })).toEqual({
    create: true,
    like: "cart",
    change: 7,
    q: "a",
  });
});

it("a view is known by its filter, and not by what is open beside it", () => {
  const filter = readFilter({ tag: "shop,text", stale: true, q: "a&b" });
  expect(written({ ...filter, create: true } as never)).toBe("q=a%26b&stale=true&tag=shop%2Ctext");
  expect(parsedFilter(written(filter))).toEqual(filter);
});

it("flags stand in the order that was asked for", () => {
  const order = (sort?: Parameters<typeof sorted>[1]) =>
    sorted(index.items, sort, (a, b) => a.localeCompare(b)).map((it) => it.key);
  expect(order()).toEqual(["cart", "old", "search"]);
  expect(order("-name")).toEqual(["search", "old", "cart"]);
  expect(order("changed")).toEqual(["search", "cart", "old"]);
  expect(order("-created")).toEqual(["cart", "search", "old"]);
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
