/** A policy as it is being edited, and what is answered about it. */
import type { Statement } from "./access";
import type { Schemas } from "./api/client";

export interface Draft {
  policy: Schemas["PolicyDraft"];
  /** Where each statement that was sent stands in the editor. */
  places: number[];
}

/** What there is to ask about: statements that are not finished yet say nothing. */
export function draftOf(
  key: string | undefined,
  edited: Statement[] | undefined,
): Draft | undefined {
  if (key === undefined || edited === undefined) return undefined;
  const whole = edited
    .map((statement, place) => ({ statement, place }))
    .filter(({ statement: it }) => it.actions.length > 0 && it.resources.length > 0);
  return {
    policy: { key, statements: whole.map((it) => it.statement) },
    places: whole.map((it) => it.place),
  };
}

/** An answer that names a statement by its place in the editor. */
export function placed(answer: Schemas["Answer"], draft: Draft | undefined): Schemas["Answer"] {
  const { by } = answer;
  if (!draft || !by || by.policy !== draft.policy.key) return answer;
  return { ...answer, by: { ...by, statement: draft.places[by.statement] ?? by.statement } };
}
