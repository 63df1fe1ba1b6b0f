import { expect, it } from "vitest";
import { pairTo, presetPair, readPair, writtenPair } from "./pairs";

const environments = (...keys: string[]) =>
  keys.map((key) => ({ key: key.replace("!", ""), protected: key.endsWith("!") }));

it("a pair is from the one before to the last protected one", () => {
  const pair = (...keys: string[]) => presetPair(environments(...keys));
  expect(pair("dev", "staging", "prod!")).toEqual({ from: "staging", to: "prod" });
  expect(pair("dev", "eu!", "us!", "sandbox")).toEqual({ from: "eu", to: "us" });
  expect(pair("prod", "dev")).toEqual({ from: "dev", to: "prod" });
  expect(pair("a", "b")).toEqual({ from: "a", to: "b" });
  expect(pair("only")).toBeUndefined();
});

it("a flag's pair ends where one is", () => {
  const all = environments("dev", "staging", "prod!");
  expect(pairTo("staging", all)).toEqual({ from: "dev", to: "staging" });
  expect(pairTo("dev", all)).toEqual({ from: "staging", to: "dev" });
  expect(pairTo("gone", all)).toBeUndefined();
});

it("an address names two that are there", () => {
  const all = environments("dev", "v1..2", "prod");
  expect(readPair("dev..prod", all)).toEqual({ from: "dev", to: "prod" });
  expect(readPair(writtenPair({ from: "v1..2", to: "dev" }), all)).toEqual({
    from: "v1..2",
    to: "dev",
  });
  expect(readPair("dev..dev", all)).toBeUndefined();
  expect(readPair("dev..gone", all)).toBeUndefined();
  expect(readPair("dev", all)).toBeUndefined();
});
