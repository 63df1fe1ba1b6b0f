import { expect, it } from "vitest";
import type { Draft } from "./draft";
import type { Edit } from "./edit";
import { type Plan, flawOf, keyOf, rampsOf, stepsOf, withStep, withoutStep } from "./plan";

const place = { project: "web", environment: "prod", flag: "checkout" };
const rollout: Edit = {
  ...place,
  kind: "setDefaultRule",
  variations: [
    { id: "on", rollout: [0, 0.1] },
    { id: "off", rollout: [0.1, 1] },
  ],
};
const on: Edit = { ...place, kind: "turnOn" };
const draft: Draft = { base: {}, commands: [rollout, on] };
const first: Plan = { steps: [{ at: "2026-11-24T09:00" }] };

it("a rollout grows from step to step, and who has it keeps it", () => {
  const plan = withStep(withStep(first, rampsOf(draft.commands)), rampsOf(draft.commands));
  expect(plan.steps.map((it) => it.at)).toEqual([
    "2026-11-24T09:00",
    "2026-11-25T09:00",
    "2026-11-26T09:00",
  ]);
  const [one, two, three] = stepsOf(draft, plan);
  expect(one?.commands).toEqual([rollout, on]);
  expect(two?.commands).toMatchObject([
    { kind: "setDefaultRule", variations: [{ id: "on", rollout: [0, 0.25] }, { id: "off" }] },
  ]);
  expect(three?.commands).toMatchObject([{ variations: [{ id: "on", rollout: [0, 0.5] }, {}] }]);
});

it("an edit can wait for a later step, and goes back with it", () => {
  const ramps = rampsOf(draft.commands);
  const plan = { ...withStep(first, ramps), placed: { [keyOf(on)]: 1 } };
  expect(stepsOf(draft, plan).map((it) => it.commands.map(({ kind }) => kind))).toEqual([
    ["setDefaultRule"],
    ["turnOn", "setDefaultRule"],
  ]);
  expect(stepsOf(draft, withoutStep(plan, 1))[0]?.commands).toEqual([rollout, on]);
});

it("says what is wrong, and where", () => {
  const now = new Date(2026, 10, 23).getTime();
  expect(flawOf(draft, first, now)).toBeUndefined();
  expect(flawOf(draft, first, new Date(2026, 10, 25).getTime())).toEqual({ step: 0, flaw: "past" });
  const late = { steps: [...first.steps, { at: "2026-11-24T08:00" }] };
  expect(flawOf(draft, late, now)).toEqual({ step: 1, flaw: "order" });
  const empty = { steps: [...first.steps, { at: "2026-11-25T08:00" }] };
  expect(flawOf(draft, empty, now)).toEqual({ step: 1, flaw: "empty" });
  expect(flawOf(draft, { steps: [{ at: "" }] }, now)).toEqual({ step: 0, flaw: "moment" });
});
