/** What happened with a request, in order: it was made, revised, talked about, applied. */
import type { Schemas } from "@/lib/api/client";

export interface Happening {
  kind:
    | "created"
    | "revised"
    | "rebased"
    | "approve"
    | "decline"
    | "comment"
    | "applied"
    | "appliedStep"
    | "stopped"
    | "stoppedStep"
    | "withdrawn";
  at: string;
  by?: string;
  text: string;
  revision?: number;
  /** The step, where there are several. */
  step?: number;
  change?: string;
}

export function timeline(request: Schemas["RequestDetail"]): Happening[] {
  const revisions = request.revisions.map(
    ({ revision, rebased, author, at, comment }): Happening => {
      const kind = revision === 1 ? "created" : rebased ? "rebased" : "revised";
      // The newest one's stands at the top.
      const text = comment === request.comment ? "" : comment;
      return { kind, at, by: author, text, revision };
    },
  );
  const said = request.events.map(({ kind, at, by, text, revision }): Happening => {
    const known = kind === "approve" || kind === "decline" ? kind : "comment";
    return { kind: known, at, by, text, revision };
  });
  const several = request.steps.length > 1;
  const applied = request.steps.flatMap(({ step, appliedAt, changeSet }): Happening[] => {
    if (!appliedAt) return [];
    const change = changeSet ? { change: changeSet } : {};
    return [
      { kind: several ? "appliedStep" : "applied", at: appliedAt, text: "", step, ...change },
    ];
  });
  const end: Happening[] = [];
  if (request.stopped) {
    const { at, step } = request.stopped;
    end.push({ kind: several ? "stoppedStep" : "stopped", at, text: "", step });
  }
  if (request.state === "withdrawn") {
    end.push({ kind: "withdrawn", at: request.changedAt, text: "" });
  }
  // What came at the same moment stays in this order.
  return [...revisions, ...said, ...applied, ...end].toSorted((a, b) => a.at.localeCompare(b.at));
}
