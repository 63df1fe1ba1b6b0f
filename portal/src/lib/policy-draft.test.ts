import { expect, it } from "vitest";
import type { Statement } from "./access";
import { draftOf, placed } from "./policy-draft";

const whole: Statement = { effect: "allow", actions: ["*.read"], resources: ["*"] };
const begun: Statement = { effect: "allow", actions: ["flag.turnOn"], resources: [] };

it("asks about finished statements, and answers with the places of the editor", () => {
  const draft = draftOf("mine", [begun, whole]);
  expect(draft?.policy).toEqual({ key: "mine", statements: [whole] });
  const by = { policy: "mine", statement: 0 };
  expect(placed({ allowed: true, by }, draft).by?.statement).toBe(1);
  const other = { policy: "reader", statement: 0 };
  expect(placed({ allowed: true, by: other }, draft).by).toEqual(other);
});

it("what is not edited is asked about as it is saved", () => {
  expect(draftOf("mine", undefined)).toBeUndefined();
});
