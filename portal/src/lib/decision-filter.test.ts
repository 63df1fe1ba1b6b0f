import { expect, test } from "vitest";
import { asked, readDecisionFilter } from "./decision-filter";

test("an address says which decisions are meant, and nothing else", () => {
  const search = { user: 42, flag: "cart", from: "2026-11-21", to: "tomorrow", colour: "red" };
  expect(readDecisionFilter(search)).toEqual({ user: "42", flag: "cart", from: "2026-11-21" });
  expect(readDecisionFilter({ user: "", flag: "" })).toEqual({});
});

test("the last day is asked for whole", () => {
  const { from, to, ...rest } = asked({ user: "ana", from: "2026-11-21", to: "2026-11-21" });
  expect(rest).toEqual({ user: "ana" });
  expect(from).toBe(new Date(2026, 10, 21).toISOString());
  expect(to).toBe(new Date(2026, 10, 22).toISOString());
});
