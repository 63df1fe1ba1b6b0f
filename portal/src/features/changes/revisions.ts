/** What a revision of a request does otherwise than the one before. */
import type { Schemas } from "@/lib/api/client";

type Line = Schemas["DiffLine"];
type Revision = Schemas["RevisionView"];

export interface ComparedLine {
  is: "gone" | "added" | "same";
  line: Line;
}

export interface ComparedStep {
  step: number;
  /** Whether the revision has the step, and whether the one before had it. */
  is: "gone" | "added" | "same";
  at: string | undefined;
  /** When it was to be applied by the one before, where that differs. */
  moved: { from: string | undefined } | undefined;
  lines: ComparedLine[];
  /** Lines that the server left out of it. */
  more: number;
}

/** The steps of a revision, line by line against the one before; all is new in the first. */
export function compared(before: Revision | undefined, now: Revision): ComparedStep[] {
  const old = new Map(before?.steps.map((it) => [it.step, it]));
  const here = now.steps.map(({ step, at, diff, diffLeftOut }): ComparedStep => {
    const was = old.get(step);
    const from = was?.at ?? undefined;
    const moment = at ?? undefined;
    return {
      step,
      is: was ? "same" : "added",
      at: moment,
      moved: was && from !== moment ? { from } : undefined,
      lines: linesOf(was?.diff ?? [], diff),
      more: diffLeftOut,
    };
  });
  const steps = new Set(now.steps.map((it) => it.step));
  const gone = (before?.steps ?? []).filter((it) => !steps.has(it.step));
  const taken = gone.map(({ step, at, diff, diffLeftOut }): ComparedStep => {
    const lines = linesOf(diff, []);
    return { step, is: "gone", at: at ?? undefined, moved: undefined, lines, more: diffLeftOut };
  });
  return [...here, ...taken].toSorted((a, b) => a.step - b.step);
}

/** Whether nothing is said otherwise than before. */
export const alike = (steps: ComparedStep[]): boolean =>
  steps.every((it) => it.is === "same" && !it.moved && it.lines.every(({ is }) => is === "same"));

/** What is gone first, in the place of what came instead of it; then what stayed. */
function linesOf(before: Line[], after: Line[]): ComparedLine[] {
  const old = new Set(before.map((it) => it.text));
  const now = new Set(after.map((it) => it.text));
  const part = (lines: Line[], is: ComparedLine["is"]) => lines.map((line) => ({ is, line }));
  return [
    ...part(
      before.filter((it) => !now.has(it.text)),
      "gone",
    ),
    ...part(
      after.filter((it) => !old.has(it.text)),
      "added",
    ),
    ...part(
      after.filter((it) => old.has(it.text)),
      "same",
    ),
  ];
}
