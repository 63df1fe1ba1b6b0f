import { beforeEach, expect, it, vi } from "vitest";
import { idFor, settleId } from "./set-id";

const kept = new Map<string, string>();
vi.mock("./theme", () => ({
  keepLocally: (key: string, value: string) => kept.set(key, value),
  keptLocally: (key: string) => kept.get(key) ?? null,
}));
beforeEach(() => kept.clear());

it("what is sent again has the id that it had, until it is known how it went", () => {
  const body = { commands: [{ kind: "turnOff", flag: "checkout" }] };
  const first = idFor("acme", body);
  expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(idFor("acme", body)).toBe(first);
  settleId("acme");
  expect(idFor("acme", body)).not.toBe(first);
});

it("another set has another id", () => {
  const first = idFor("acme", { commands: [1] });
  expect(idFor("acme", { commands: [2] })).not.toBe(first);
  expect(idFor("other", { commands: [2] })).not.toBe(first);
});
