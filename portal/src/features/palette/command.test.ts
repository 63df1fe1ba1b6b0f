import { expect, it } from "vitest";
import { command } from "./command";

const here = { environments: ["prod", "preview", "dev"] };
const onFlag = { ...here, flag: "theme", environment: "dev" };

it("a verb, a flag and an environment are a command", () => {
  expect(command("off new-cart prod", here)).toEqual({
    kind: "switch",
    on: false,
    flag: "new-cart",
    environments: ["prod"],
  });
  expect(command(" ON new-cart d", here)).toMatchObject({ on: true, environments: ["dev"] });
  expect(command("off new-cart nowhere", here)).toBeUndefined();
});

it("without an environment it is offered for each", () => {
  expect(command("off new-cart", here)).toMatchObject({ environments: here.environments });
});

it("what is looked at need not be named", () => {
  expect(command("off", onFlag)).toMatchObject({ flag: "theme", environments: ["dev"] });
  expect(command("on pr", onFlag)).toMatchObject({ flag: "theme", environments: ["prod"] });
  expect(command("off new-cart", onFlag)).toMatchObject({ flag: "new-cart" });
  expect(command("history", onFlag)).toEqual({ kind: "history", flag: "theme" });
  expect(command("off", here)).toBeUndefined();
  expect(command("history", here)).toBeUndefined();
});

it("a percentage rolls out", () => {
  const ten = { kind: "roll", share: 0.1, flag: "new-cart", environments: ["prod"] };
  expect(command("10% new-cart prod", here)).toEqual(ten);
  expect(command("10 % new-cart prod", here)).toEqual(ten);
  expect(command("12,5%", onFlag)).toMatchObject({ share: 0.125, flag: "theme" });
  expect(command("110% new-cart prod", here)).toBeUndefined();
});

it("asking why names a user", () => {
  expect(command("why ana new-cart", here)).toMatchObject({ user: "ana", flag: "new-cart" });
  expect(command("why ana", onFlag)).toMatchObject({ user: "ana", flag: "theme" });
  expect(command("why", onFlag)).toBeUndefined();
});

it("a flag is made, and put away", () => {
  expect(command("create flag New cart", here)).toEqual({ kind: "create", name: "New cart" });
  expect(command("create new-cart", here)).toEqual({ kind: "create", name: "new-cart" });
  expect(command("archive new-cart", here)).toEqual({ kind: "archive", flag: "new-cart" });
});

it("anything else is looked for", () => {
  expect(command("new-cart prod", here)).toBeUndefined();
  expect(command("office", here)).toBeUndefined();
});
