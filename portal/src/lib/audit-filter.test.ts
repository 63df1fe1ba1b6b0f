import { expect, it } from "vitest";
import { asked, readAuditFilter } from "./audit-filter";

it("is what of an address is a filter", () => {
  const search = { q: "cart", kind: "turnOn", from: "2026-11-20", to: "yesterday", other: 1 };
  expect(readAuditFilter(search)).toEqual({ q: "cart", kind: "turnOn", from: "2026-11-20" });
});

it("asks for an environment of a project alone", () => {
  expect(readAuditFilter({ environment: "prod" })).toEqual({});
  const both = { project: "web", environment: "prod" };
  expect(readAuditFilter(both)).toEqual(both);
});

it("has the last day in it", () => {
  const { from = "", to = "" } = asked({ from: "2026-11-20", to: "2026-11-20" });
  expect(Date.parse(to) - Date.parse(from)).toBe(86_400_000);
  expect(new Date(from).getHours()).toBe(0);
});

it("calls the text what the API calls it", () => {
  expect(asked({ q: "cart", actor: "mia" })).toEqual({ text: "cart", actor: "mia" });
});
