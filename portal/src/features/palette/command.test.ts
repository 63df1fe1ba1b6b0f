import { expect, it } from "vitest";
import { command } from "./command";

const environments = ["prod", "preview", "dev"];

it("a verb, a flag and an environment are a command", () => {
  expect(command("off new-cart prod", environments)).toEqual({
    on: false,
    flag: "new-cart",
    environment: "prod",
  });
  expect(command(" ON new-cart d", environments)?.environment).toBe("dev");
});

it("anything else is looked for", () => {
  expect(command("off new-cart", environments)).toBeUndefined();
  expect(command("off new-cart nowhere", environments)).toBeUndefined();
  expect(command("new-cart prod", environments)).toBeUndefined();
});
