import { expect, it } from "vitest";
import { fieldsOf, loosens, rulesOf } from "./rules-form";

const strict = rulesOf({
  comment: true,
  required: "2",
  named: true,
  groups: ["core"],
  members: [],
  turnOff: false,
});

const none = rulesOf({ ...fieldsOf(strict), comment: false, required: "0" });

it("is typed as it is kept", () => {
  expect(rulesOf(fieldsOf(strict))).toEqual(strict);
  expect(fieldsOf(none)).toMatchObject({ comment: false, required: "0", named: false });
});

it("names nobody where nothing is asked", () => {
  const asked = rulesOf({ ...fieldsOf(strict), required: "0", turnOff: true });
  expect(asked.approvals).toEqual({
    required: 0,
    reviewers: { groups: [], members: [] },
    exempt: [],
  });
});

it("knows when less is asked than before", () => {
  const change = (fields: Partial<ReturnType<typeof fieldsOf>>) =>
    loosens(strict, rulesOf({ ...fieldsOf(strict), ...fields }));
  expect(change({})).toBe(false);
  expect(change({ required: "3" })).toBe(false);
  expect(change({ required: "1" })).toBe(true);
  expect(change({ comment: false })).toBe(true);
  expect(change({ named: false })).toBe(true);
  expect(change({ groups: ["core", "web"] })).toBe(true);
  expect(change({ turnOff: true })).toBe(true);
  expect(loosens(none, strict)).toBe(false);
});
