import { expect, it } from "vitest";
import { readStatements } from "./read";

it("statements are read as they are written, and nothing else is", () => {
  const statements = [{ effect: "deny", actions: ["flag.*"], resources: ["project/web"] }];
  expect(readStatements(JSON.stringify(statements))).toEqual(statements);
  expect(readStatements("[]")).toEqual([]);
  expect(readStatements("[")).toBeUndefined();
  expect(readStatements('{"effect":"allow"}')).toBeUndefined();
  expect(readStatements('[{"effect":"maybe","actions":[],"resources":[]}]')).toBeUndefined();
  expect(readStatements('[{"effect":"allow","actions":[1],"resources":[]}]')).toBeUndefined();
});
