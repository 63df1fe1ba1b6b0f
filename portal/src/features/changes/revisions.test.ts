import { expect, it } from "vitest";
import { alike, compared } from "./revisions";

const line = (text: string) => ({ code: "turnedOn", params: {}, text });
const step = (number: number, texts: string[], at?: string) => ({
  step: number,
  diff: texts.map(line),
  diffLeftOut: 0,
  ...(at === undefined ? {} : { at }),
});
const revision = (number: number, steps: ReturnType<typeof step>[]) => ({
  revision: number,
  at: "2026-11-22T08:00:00.000Z",
  author: "ken",
  comment: "",
  rebased: false,
  steps,
});

it("a revision is told line by line against the one before", () => {
  const before = revision(1, [step(1, ["ana, ben", "off"])]);
  const steps = compared(before, revision(2, [step(1, ["ana", "off"])]));
  expect(steps[0]?.lines.map(({ is, line: { text } }) => `${is} ${text}`)).toEqual([
    "gone ana, ben",
    "added ana",
    "same off",
  ]);
  expect(alike(steps)).toBe(false);
});

it("nothing but a moment may differ", () => {
  const before = revision(1, [step(1, ["a"], "2026-11-24T09:00:00Z")]);
  const same = revision(2, [step(1, ["a"], "2026-11-24T09:00:00Z")]);
  expect(alike(compared(before, same))).toBe(true);
  const moved = compared(before, revision(2, [step(1, ["a"], "2026-11-25T09:00:00Z")]));
  expect(moved[0]?.moved).toEqual({ from: "2026-11-24T09:00:00Z" });
  expect(alike(moved)).toBe(false);
});

it("steps come and go", () => {
  const before = revision(1, [step(1, ["a"]), step(2, ["b"])]);
  expect(compared(before, revision(2, [step(1, ["a"])])).map((it) => it.is)).toEqual([
    "same",
    "gone",
  ]);
  expect(compared(undefined, before).map((it) => it.lines[0]?.is)).toEqual(["added", "added"]);
});
