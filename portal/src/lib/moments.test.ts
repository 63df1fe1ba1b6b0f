import { expect, it } from "vitest";
import { dayAfter, localOf, momentOfLocal, monthAfter, presetAt, weeksOf } from "./moments";

it("a field's moment is the one that was put into it", () => {
  const at = new Date(2026, 10, 24, 9, 5);
  expect(localOf(at)).toBe("2026-11-24T09:05");
  expect(momentOfLocal(localOf(at))).toEqual(at);
  expect(momentOfLocal("")).toBeUndefined();
  expect(momentOfLocal("2026-")).toBeUndefined();
});

it("tomorrow is the next day, and Monday the next one that is not today", () => {
  const saturday = new Date(2026, 9, 31, 22, 30);
  expect(localOf(presetAt("tomorrow", saturday))).toBe("2026-11-01T09:00");
  expect(localOf(presetAt("monday", saturday))).toBe("2026-11-02T09:00");
  const monday = new Date(2026, 10, 2, 8, 0);
  expect(localOf(presetAt("monday", monday))).toBe("2026-11-09T09:00");
  expect(localOf(presetAt("hour", saturday))).toBe("2026-10-31T23:30");
});

it("a month's page has whole weeks, and all of its days", () => {
  const weeks = weeksOf("2026-11", 1);
  expect(weeks[0]?.[0]).toBe("2026-10-26");
  expect(weeks.at(-1)?.[6]).toBe("2026-12-06");
  expect(weeks.every((week) => week.length === 7)).toBe(true);
  // Begins with its first day where that is the week's first.
  expect(weeksOf("2026-11", 0)[0]?.[0]).toBe("2026-11-01");
  expect(weeksOf("2027-02", 1)).toHaveLength(4);
});

it("months and days go on over the end of a year", () => {
  expect(monthAfter("2026-12", 1)).toBe("2027-01");
  expect(monthAfter("2026-01", -1)).toBe("2025-12");
  expect(dayAfter("2026-12-31", 1)).toBe("2027-01-01");
});
