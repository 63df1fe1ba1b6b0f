import { describe, expect, it } from "vitest";
import { joined, keysWithout, parseKeys, writtenKeys } from "./keys";

const keysOf = (text: string) => parseKeys(text).keys;

describe("keys of a text", () => {
  it.each([
    ["lines", "ana\nben\r\nchen\n"],
    ["commas", "ana,ben, chen"],
    ["semicolons", "ana;ben;chen;"],
    ["tabs", "ana\tben\tchen"],
    ["white space around them", "  ana \n\n\n\tben\n chen  "],
    ["a mark of the byte order", "\uFEFFana\nben\nchen"],
    ["a JSON list", '["ana", "ben",\n "chen"]'],
    ["quotes", '"ana","ben"\n"chen"'],
  ])("by %s", (_, text) => {
    expect(keysOf(text)).toEqual(["ana", "ben", "chen"]);
  });

  it("are each there once", () => {
    expect(parseKeys("ana\nben\nana, ana")).toEqual({ keys: ["ana", "ben"], duplicates: 2 });
  });

  it("may have separators and quotes in quotes", () => {
    expect(keysOf('"Doe, Jane"\n"the ""boss"""\n"two\nlines"')).toEqual([
      "Doe, Jane",
      'the "boss"',
      "two\nlines",
    ]);
  });

  it("may have spaces and quotes inside", () => {
    expect(keysOf('ana maria\no"neil')).toEqual(["ana maria", 'o"neil']);
  });

  it("are of the column that the head names", () => {
    const sheet = 'name,User ID,plan\n"Muster, Ana",ana,pro\nBen,ben,\n';
    expect(keysOf(sheet)).toEqual(["ana", "ben"]);
    expect(keysOf("userId\nana\nben")).toEqual(["ana", "ben"]);
    // Which may be a key.
    expect(keysOf("id\nana")).toEqual(["id", "ana"]);
    expect(keysOf("key, ana")).toEqual(["key", "ana"]);
  });

  it("are none where there are none", () => {
    expect(parseKeys(" \n , ;")).toEqual({ keys: [], duplicates: 0 });
    expect(keysOf("[ana")).toEqual(["[ana"]);
  });

  it("come in their hundred thousands", () => {
    const many = Array.from({ length: 100_000 }, (_, index) => `user-${index}`);
    expect(keysOf(many.join("\n"))).toHaveLength(100_000);
  });
});

it("what is written is read again", () => {
  const keys = ["ana", "Doe, Jane", 'the "boss"', "[x", "a;b"];
  expect(keysOf(writtenKeys(keys))).toEqual(keys);
});

it("lists are joined and left out of each other", () => {
  expect(joined(["a", "b"], ["b", "c"])).toEqual({ keys: ["a", "b", "c"], added: 1 });
  expect(keysWithout(["a", "b", "c"], ["b", "x"])).toEqual(["a", "c"]);
});
