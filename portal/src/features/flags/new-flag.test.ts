import { expect, it } from "vitest";
import { keyOf } from "@/lib/key-of";
import { commandsOf } from "./new-flag";

it("a name suggests a key", () => {
  expect(keyOf("  New cart 2! ")).toBe("new-cart-2");
  expect(keyOf("Über-Suche")).toBe("uber-suche");
  expect(keyOf("新しい")).toBe("");
});

it("a new flag is made, and turned on where that was chosen", () => {
  const flag = { name: "Cart", key: "cart", values: ["a", "b"], description: "", tags: "x, y" };
  const made = commandsOf("web", { ...flag, type: "boolean", on: ["dev"] });
  expect(made[0]).toMatchObject({ kind: "createFlag", flag: "cart", tags: ["x", "y"] });
  expect(made[0]).not.toHaveProperty("variations");
  expect(made[1]).toEqual({ kind: "turnOn", project: "web", environment: "dev", flag: "cart" });
  const text = commandsOf("web", { ...flag, type: "string", on: [] });
  expect(text).toHaveLength(1);
  expect(text[0]).toMatchObject({ variations: [{ value: "a" }, { value: "b" }] });
});
