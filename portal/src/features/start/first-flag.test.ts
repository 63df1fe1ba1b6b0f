import { expect, it } from "vitest";
import type { Schemas } from "@/lib/api/client";
import { firstEnvironment, missing, usable } from "./first-flag";

const environment = (key: string, isProtected = false): Schemas["EnvironmentView"] => ({
  id: key,
  key,
  name: key,
  description: "",
  colour: "#000000",
  protected: isProtected,
  decisionLog: { sample: 0 },
  version: 1,
  position: "1.0",
  createdAt: "2026-11-22T08:00:00.000Z",
});

it("a first program asks where that hurts nobody", () => {
  const of = (...all: Schemas["EnvironmentView"][]) => firstEnvironment(all)?.key;
  expect(of(environment("prod"), environment("dev"))).toBe("dev");
  expect(of(environment("prod"), environment("test"))).toBe("test");
  expect(of(environment("live", true), environment("prod"))).toBe("prod");
  expect(of(environment("prod", true))).toBe("prod");
  expect(of()).toBeUndefined();
});

it("only what is missing is made", () => {
  const kinds = (flag: Parameters<typeof missing>[2]) =>
    missing("web", "dev", flag).map((it) => it.kind);
  const environments = { dev: {} } as unknown as Schemas["FlagDetail"]["environments"];
  expect(kinds(undefined)).toEqual(["createFlag", "turnOff"]);
  expect(kinds({ state: "live", environments: {} })).toEqual(["turnOff"]);
  expect(kinds({ state: "live", environments })).toEqual([]);
  expect(kinds({ state: "archived", environments })).toEqual(["restoreFlag"]);
});

it("a key that ends is none for a new program", () => {
  const key = { id: "1", name: "k", secret: "s", createdAt: "" };
  const keys: Schemas["SdkKeyView"][] = [
    { ...key, kind: "client" },
    { ...key, kind: "server", revokedAt: "2026-11-22T08:00:00.000Z" },
    { ...key, kind: "server", endsAt: "2026-11-23T08:00:00.000Z" },
    { ...key, kind: "server", id: "2" },
  ];
  expect(usable(keys, "server")?.id).toBe("2");
  expect(usable(keys.slice(0, 3), "server")).toBeUndefined();
});
