import { expect, it } from "vitest";
import { stampOf } from "./stamp";

const keys = (count: number) => Array.from({ length: count }, (_, at) => `customer-${at}`);

it("is the same for what is the same, and short", () => {
  expect(stampOf(["ana"])).toBe('["ana"]');
  const large = keys(100_000);
  expect(stampOf(large).length).toBeLessThan(40);
  expect(stampOf(large)).toBe(stampOf(keys(100_000)));
  expect(stampOf(large)).not.toBe(stampOf(keys(100_001)));
  expect(stampOf(large)).not.toBe(stampOf(large.with(50_000, "customer-x")));
});
