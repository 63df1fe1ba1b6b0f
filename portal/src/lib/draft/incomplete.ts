/** Edits that nobody could mean yet: a rule that is still being written. */
import { IN_SEGMENT, NOT_IN_SEGMENT, listOf, takes } from "@/lib/model/operators";
import type { Schemas } from "@/lib/api/client";
import type { Draft } from "./draft";
import type { Edit } from "./edit";

export type Missing = "property" | "value";

/** What the first unfinished rule still lacks. */
export function incomplete(draft: Draft): Missing | undefined {
  return incompleteConditions(draft.commands.flatMap(conditions));
}

export function incompleteConditions(of: Schemas["ConditionInput"][]): Missing | undefined {
  for (const condition of of) {
    const missing = lacks(condition);
    if (missing) return missing;
  }
  return undefined;
}

function conditions(edit: Edit): Schemas["ConditionInput"][] {
  switch (edit.kind) {
    case "addRule":
    case "updateRule":
      return edit.rule.conditions ?? [];
    case "setRules":
    case "setSegmentRules":
      return edit.rules.flatMap((it) => it.conditions ?? []);
    case "createSegment":
      return (edit.rules ?? []).flatMap((it) => it.conditions ?? []);
    default:
      return [];
  }
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
