import { expect, it } from "vitest";
import type { Schemas } from "@/lib/api/client";
import { EMPTY } from "@/lib/draft/draft";
import { bulkEdits } from "./bulk";
import { toggled } from "./selection";

const CELL = { shares: [1, 0], rules: false, targets: false, prerequisites: false };

const item = (key: string, on: boolean | null, more = {}): Schemas["IndexedFlagView"] => ({
  key,
  name: key,
  tags: ["shop"],
  type: "boolean",
  state: "live",
  createdAt: "2026-11-22T08:00:00.000Z",
  variations: ["On", "Off"],
  cells: [on === null ? null : { ...CELL, on }],
  ...more,
});
const items = [
  item("a", true),
  item("b", false),
  item("c", null),
  item("d", true, { state: "archived" }),
];
const index = { versions: { web: 7, "web/prod": 3 }, environments: ["prod"], items };
const edits = (command: Parameters<typeof bulkEdits>[3], draft = EMPTY) =>
  bulkEdits("web", index, items, command, draft).commands.map(
    (it) => `${it.kind} ${"flag" in it ? it.flag : ""}`,
  );

it("flags that are so already need no command", () => {
  expect(edits({ kind: "turnOn", environment: "prod" })).toEqual(["turnOn b", "turnOn c"]);
  expect(edits({ kind: "turnOff", environment: "prod" })).toEqual(["turnOff a"]);
  // What the list does not show may be either.
  expect(edits({ kind: "turnOff", environment: "dev" })).toHaveLength(3);
  expect(edits({ kind: "archiveFlag" })).toEqual([
    "archiveFlag a",
    "archiveFlag b",
    "archiveFlag c",
  ]);
  expect(edits({ kind: "restoreFlag" })).toEqual(["restoreFlag d"]);
});

it("an edit that waits is taken back by its contrary", () => {
  const off = bulkEdits("web", index, items, { kind: "turnOff", environment: "prod" }, EMPTY);
  expect(edits({ kind: "turnOn", environment: "prod" }, off)).toEqual([
    "turnOn a",
    "turnOn b",
    "turnOn c",
  ]);
});

it("tags are added to those that are there, edited ones too", () => {
  const first = bulkEdits("web", index, items.slice(0, 1), { kind: "tag", tag: "new" }, EMPTY);
  expect(first.commands).toEqual([
    { kind: "setFlagTags", project: "web", flag: "a", tags: ["shop", "new"] },
  ]);
  const second = bulkEdits("web", index, items.slice(0, 1), { kind: "untag", tag: "shop" }, first);
  expect(second.commands).toEqual([
    { kind: "setFlagTags", project: "web", flag: "a", tags: ["new"] },
  ]);
  expect(edits({ kind: "tag", tag: "shop" })).toEqual([]);
});

it("a range is as the row that it began with", () => {
  const order = ["a", "b", "c", "d"];
  const one = toggled(new Set(), order, 1, undefined, false);
  expect([...one]).toEqual(["b"]);
  const range = toggled(one, order, 3, "b", true);
  expect([...range]).toEqual(["b", "c", "d"]);
  const less = toggled(range, order, 3, undefined, false);
  expect([...toggled(less, order, 2, "d", true)]).toEqual(["b"]);
  expect([...toggled(one, order, 0, "gone", true)]).toEqual(["b", "a"]);
});
