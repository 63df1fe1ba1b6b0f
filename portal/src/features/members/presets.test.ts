import { expect, it } from "vitest";
import { PROTECTED, addressesOf, guessed, switchKey, switchStatements } from "./presets";

const environment = (key: string, isProtected = false) => ({
  id: key,
  key,
  name: key,
  description: "",
  colour: "#0b7a75",
  protected: isProtected,
  decisionLog: { sample: 0 },
  position: "a",
  version: 1,
  createdAt: "2026-11-22T09:00:00.000Z",
});

it("addresses come as people paste them", () => {
  expect(addressesOf("mia@acme.io, Oleg <oleg@acme.io>;\nmia@acme.io ken@acme.io and")).toEqual([
    "mia@acme.io",
    "oleg@acme.io",
    "ken@acme.io",
  ]);
  expect(addressesOf("nobody")).toEqual([]);
});

it("switching is offered where it is protected, else in production, else in the first", () => {
  expect(guessed([[environment("dev"), environment("live", true)]])).toBe(PROTECTED);
  expect(guessed([[environment("dev"), environment("prod")]])).toBe("prod");
  expect(guessed([[environment("blue"), environment("green")]])).toBe("blue");
  expect(guessed([])).toBeUndefined();
});

it("what is made later is not open to edits by itself", () => {
  const statements = switchStatements("prod", ["dev", "staging"]);
  const resources = statements.flatMap((it) => it.resources);
  expect(resources).toContain("project/*:env/dev");
  expect(resources).not.toContain("project/*:env/*");
  expect(statements[0]).toEqual({
    effect: "allow",
    actions: ["flag.turnOn", "flag.turnOff"],
    resources: ["project/*:env/prod:flag/*"],
  });
  expect(switchStatements(PROTECTED, []).flatMap((it) => it.resources)).toContain(
    "project/*:env/*@unprotected",
  );
  expect(switchKey(PROTECTED)).toBe("switch-protected");
});
