/** Edits that are applied at moments: all at one, or a rollout that grows from step to step. */
import type { Schemas } from "@/lib/api/client";
import { type Serving, serving } from "@/lib/model/flag";
import { shareOf, withShare } from "@/lib/model/rollout";
import { dayAfter, dayOf, localOf, momentOfLocal } from "@/lib/moments";
import type { Draft } from "./draft";
import { type Edit, isFlagEdit } from "./edit";
import { partOf } from "./facets";

export interface PlannedStep {
  /** As a field of the browser has it: `2026-11-24T09:00`. */
  at: string;
  /** What rollouts are raised to, by the edit that they begin with. */
  shares?: Record<string, number>;
}

export interface Plan {
  steps: PlannedStep[];
  /** The step that an edit is in, where that is not the first. */
  placed?: Record<string, number>;
}

/** A rollout that can grow: of one variation, as the draft begins it. */
export interface Ramp {
  edit: Extract<Edit, { kind: "setDefaultRule" }> & { project: string };
  key: string;
  variation: string;
  share: number;
}

/** What stays the same of an edit while it is edited on. */
export const keyOf = (edit: Edit): string => `${edit.kind} ${partOf(edit)}`;

/** The most steps that a request has. */
export const MOST_STEPS = 20;

function servingOf(edit: Ramp["edit"]): Serving {
  const parts = (edit.variations ?? []).map((it) => ({ ...it, exptRollout: it.exptRollout ?? 1 }));
  return serving({ variations: parts, dispatchKey: edit.dispatchKey ?? null });
}

/** The rollouts of a draft that can grow. */
export function rampsOf(commands: readonly Edit[]): Ramp[] {
  return commands.flatMap((edit) => {
    if (!isFlagEdit(edit) || edit.kind !== "setDefaultRule") return [];
    const served = servingOf(edit);
    const ids = [...new Set(served.parts.map((it) => it.id))];
    const [variation] = ids;
    if (ids.length < 2 || variation === undefined) return [];
    return [{ edit, key: keyOf(edit), variation, share: shareOf(served, variation) }];
  });
}

/** What usually comes after a share. */
export function nextShare(share: number): number {
  return [0.01, 0.05, 0.1, 0.25, 0.5, 1].find((it) => it > share + 0.001) ?? 1;
}

/** The plan with one more step: a day later, each rollout raised. */
export function withStep(plan: Plan, ramps: Ramp[]): Plan {
  const last = plan.steps.at(-1);
  const before = last ? momentOfLocal(last.at) : undefined;
  if (!last || !before) return plan;
  const day = dayAfter(dayOf(before), 1);
  const at = `${day}T${localOf(before).slice(11)}`;
  const shares = ramps.map(({ key, share }) => [key, nextShare(last.shares?.[key] ?? share)]);
  return { ...plan, steps: [...plan.steps, { at, shares: Object.fromEntries(shares) }] };
}

/** The plan without one of its steps; what was in it goes to the one before. */
export function withoutStep(plan: Plan, index: number): Plan {
  const placed = Object.entries(plan.placed ?? {}).map(
    ([key, step]) => [key, step >= index ? step - 1 : step] as const,
  );
  return { steps: plan.steps.toSpliced(index, 1), placed: Object.fromEntries(placed) };
}

/** The steps as the API takes them. */
export function stepsOf({ commands }: Draft, plan: Plan): Schemas["NewStepBody"][] {
  const ramps = rampsOf(commands);
  return plan.steps.map(({ at, shares = {} }, index) => {
    const here = commands.filter((it) => (plan.placed?.[keyOf(it)] ?? 0) === index);
    const raised = ramps.flatMap(({ edit, key, variation }): Edit[] => {
      const share = shares[key];
      if (share === undefined || (plan.placed?.[key] ?? 0) >= index) return [];
      const ids = (edit.variations ?? []).map((it) => it.id);
      const { parts } = withShare(servingOf(edit), variation, share, ids);
      return [{ ...edit, variations: parts }];
    });
    const moment = momentOfLocal(at);
    return { at: moment ? moment.toISOString() : "", commands: [...here, ...raised] };
  });
}

export type Flaw = "moment" | "past" | "order" | "empty";

/** What is wrong with a plan: the first step that cannot be so. */
export function flawOf(
  draft: Draft,
  plan: Plan,
  now: number,
): { step: number; flaw: Flaw } | undefined {
  let before = now;
  for (const [step, { at, commands }] of stepsOf(draft, plan).entries()) {
    if (at === "") return { step, flaw: "moment" };
    const moment = Date.parse(at);
    if (moment <= before) return { step, flaw: step === 0 ? "past" : "order" };
    if (commands.length === 0) return { step, flaw: "empty" };
    before = moment;
  }
  return undefined;
}
