import { expect, it } from "vitest";
import { readFeatbit } from "./featbit";

const flag = { key: "a", variations: [] };
const segment = { name: "s", included: [] };

it("reads lists, objects of both, and whole messages", () => {
  const both = { flags: [flag], segments: [segment] };
  expect(readFeatbit(JSON.stringify([flag]))).toEqual({ flags: [flag], segments: [] });
  expect(readFeatbit(JSON.stringify([segment]))).toEqual({ flags: [], segments: [segment] });
  const message = { featureFlags: [flag], segments: [segment] };
  expect(readFeatbit(JSON.stringify(message))).toEqual(both);
  expect(readFeatbit(JSON.stringify({ messageType: "data-sync", data: message }))).toEqual(both);
});

it("knows what is neither", () => {
  for (const text of ["", "no JSON", "1", "null", "{}"]) expect(readFeatbit(text)).toBeUndefined();
});
