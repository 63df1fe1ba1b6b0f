/** Trying change sets out, applying them, asking for them, and taking them back. */
import { queryOptions } from "@tanstack/react-query";
import type { Draft } from "./draft/draft";
import { Refused, type Schemas, api, dataOf } from "./api/client";
import { idFor, settleId } from "./set-id";
import { stampOf } from "./stamp";
import { uuid } from "./uuid";

export type Result = Schemas["ChangeResult"];

export interface ChangeSet extends Draft {
  comment?: string;
  /** Why approvals are gone without. */
  override?: string;
}

/** How often a set whose fate is not known is sent again, under its id. */
const ATTEMPTS = 3;

/** What a set would do: its words, to whom, and what it takes. */
export const tryOut = (organization: string, { base, commands }: Draft) =>
  queryOptions({
    queryKey: ["review", organization, base, commands.map(stampOf)],
    queryFn: async ({ signal }) => {
      const body = { base, commands, dryRun: true, effects: true };
      return dataOf(await api(organization).POST("/api/v1/changes", { body, signal }));
    },
    enabled: commands.length > 0,
    retry: false,
    staleTime: 30_000,
  });

export async function apply(organization: string, set: ChangeSet): Promise<Result> {
  const { base, commands, comment = "", override } = set;
  const body: Schemas["NewChangeSet"] = { base, commands, comment };
  if (override !== undefined) body.override = { reason: override };
  return once(organization, body, async (body) =>
    dataOf(await api(organization).POST("/api/v1/changes", { body })),
  );
}

/** What is asked for: now, or step by step at moments. */
export type Asked = Pick<
  Schemas["NewRequestBody"],
  "title" | "comment" | "base" | "commands" | "steps"
>;

export async function ask(organization: string, body: Asked): Promise<Schemas["RequestDetail"]> {
  return once(organization, body, async (body) =>
    dataOf(await api(organization).POST("/api/v1/requests", { body })),
  );
}

/** Sends it until it is known what became of it, under one id. */
async function once<Body extends object, Answer>(
  organization: string,
  body: Body,
  send: (body: Body & { id: string }) => Promise<Answer>,
): Promise<Answer> {
  const id = idFor(organization, body);
  for (let attempt = 1; ; attempt += 1) {
    try {
      // One after the other: the next only where nobody knows what became of this one.
      // oxlint-disable-next-line no-await-in-loop
      const answer = await send({ ...body, id });
      settleId(organization);
      return answer;
    } catch (error) {
      // No answer, or one that does not know.
      const unknown = !(error instanceof Refused) || error.status === 503;
      if (!unknown) settleId(organization);
      if (!unknown || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Undoes a change set, as a change set of its own. */
export async function revert(
  organization: string,
  id: string,
  options: { dryRun?: boolean; comment?: string } = {},
): Promise<Schemas["PlannedResult"]> {
  const params = { path: { id } };
  const body = { id: uuid(), ...options };
  return dataOf(await api(organization).POST("/api/v1/changes/{id}/revert", { params, body }));
}

/** What keeps a set from being applied at once. */
export function asks(result: Result | undefined) {
  const needs = result?.needs ?? [];
  return {
    comment: needs.filter((it) => it.comment),
    approvals: needs.filter((it) => it.missing > 0),
    lacking: (result?.permissions ?? []).filter((it) => !it.allowed),
  };
}

/** The environments' versions that a set moved, to be said: `prod is now version 812`. */
export function moved(result: Result): { environment: string; version: number }[] {
  return Object.entries(result.versions)
    .filter(([scope]) => scope.includes("/"))
    .map(([scope, version]) => ({ environment: scope.split("/")[1] ?? scope, version }));
}
