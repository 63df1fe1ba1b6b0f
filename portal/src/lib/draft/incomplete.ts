/** Edits that nobody could mean yet: a rule that is still being written. */
import { IN_SEGMENT, NOT_IN_SEGMENT, listOf, takes } from "@/lib/model/operators";
import type { Schemas } from "@/lib/api/client";
import type { Draft } from "./draft";

export type Missing = "property" | "value";

/** What the first unfinished rule still lacks. */
export function incomplete(draft: Draft): Missing | undefined {
  for (const edit of draft.commands) {
    if (edit.kind !== "addRule" && edit.kind !== "updateRule") continue;
    for (const condition of edit.rule.conditions ?? []) {
      const missing = lacks(condition);
      if (missing) return missing;
    }
  }
  return undefined;
}

function lacks({ property, op, value }: Schemas["ConditionInput"]): Missing | undefined {
  if (property.trim() === "") return "property";
  const segments = property === IN_SEGMENT || property === NOT_IN_SEGMENT;
  const kind = segments ? "list" : takes(op ?? null);
  if (kind === "nothing" || kind === "text") return undefined;
  const list = kind === "list" || kind === "networks";
  const empty = list ? listOf(value ?? null).length === 0 : (value ?? "") === "";
  return empty ? "value" : undefined;
}
