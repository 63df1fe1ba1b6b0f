import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { dismiss, floor, take, toast, toasts } from "./toasts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.runAllTimers();
  vi.useRealTimers();
});

test("what is said goes by itself", () => {
  toast("new-cart is off in prod");
  expect(toasts.get()).toHaveLength(1);
  vi.advanceTimersByTime(10_000);
  expect(toasts.get()).toEqual([]);
});

test("it rises above what is at the bottom, and sinks when nobody looks", () => {
  toast("Discarded");
  take(48);
  expect(floor.get()).toBe(48);
  take(0);
  expect(floor.get()).toBe(48);
  dismiss(toasts.get()[0]?.id ?? 0);
  expect(floor.get()).toBe(0);
});
