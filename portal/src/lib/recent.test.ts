import { beforeEach, expect, it } from "vitest";
import { visit, visited } from "./recent";

const kept = new Map<string, string>();
beforeEach(() => {
  kept.clear();
  globalThis.localStorage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  } as Storage;
});

it("the last place comes first, and once", () => {
  visit({ path: "/acme/web/flags/cart/prod", title: "cart" });
  visit({ path: "/acme/web/flags", title: "Flags" });
  visit({ path: "/acme/web/flags/cart/dev", title: "cart" });
  expect(visited().map((it) => it.path)).toEqual(["/acme/web/flags/cart/dev", "/acme/web/flags"]);
});

it("each user is a place of its own", () => {
  visit({ path: "/acme/web/users/prod/ana", title: "Ana" });
  visit({ path: "/acme/web/users/prod/ben", title: "Ben" });
  expect(visited().map((it) => it.title)).toEqual(["Ben", "Ana"]);
});

it("what was kept by something else is nothing", () => {
  kept.set("burgee-recent", '[{"path":7},null]');
  expect(visited()).toEqual([]);
  kept.set("burgee-recent", "{");
  expect(visited()).toEqual([]);
});
