import { expect, it } from "vitest";
import { type Problem, Refused } from "./api/client";
import { faultOf, rangeOf } from "./file-fault";

const refused = (detail: string) =>
  new Refused(
    400,
    { errors: [{ pointer: "/file", code: "fileInvalid", detail }] } as Problem,
    undefined,
  );

it("finds the line that a refusal names", () => {
  const fault = { why: "missing field `variations`", line: 5, column: 4 };
  expect(faultOf(refused("missing field `variations` at line 5, column 4"))).toEqual(fault);
  expect(faultOf(refused("missing field `variations` at line 5 column 4"))).toEqual(fault);
  expect(faultOf(refused("the file is of version 2"))).toBeUndefined();
  expect(faultOf(new Error("at line 5, column 4"))).toBeUndefined();
});

it("knows where a line is in its text", () => {
  expect(rangeOf("one\ntwo\nthree", 2)).toEqual([4, 7]);
  expect(rangeOf("one\ntwo\nthree", 3)).toEqual([8, 13]);
});
