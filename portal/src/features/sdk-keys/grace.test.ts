import { expect, it } from "vitest";
import { isLeaving, isOver, masked } from "./grace";

const key = { id: "1", kind: "server", name: "a", secret: "s", createdAt: "" } as const;

it("tells keys that work from those that leave, and those that are over", () => {
  expect([isOver(key), isLeaving(key)]).toEqual([false, false]);
  const left = { ...key, successor: "2", endsAt: "2026-11-23T00:00:00Z" };
  expect([isOver(left), isLeaving(left)]).toEqual([false, true]);
  const over = { ...left, revokedAt: "2026-11-23T00:00:00Z" };
  expect([isOver(over), isLeaving(over)]).toEqual([true, false]);
});

it("shows no more of a secret than tells it from others", () => {
  expect(masked("abcdefghijklmnop")).toBe("••••••••••••mnop");
});
