/** An environment's rules as they are typed. */
import type { Schemas } from "@/lib/api/client";

type Rules = Schemas["EnvironmentRules"];

export interface Fields {
  comment: boolean;
  /** As typed: a number from 0 to 10. */
  required: string;
  /** Some reviewers are named; else all who may review are. */
  named: boolean;
  groups: string[];
  members: string[];
  turnOff: boolean;
}

export function fieldsOf({ comment, approvals }: Rules): Fields {
  const { groups = [], members = [] } = approvals?.reviewers ?? {};
  return {
    comment: comment === "required",
    required: String(approvals?.required ?? 0),
    named: groups.length + members.length > 0,
    groups,
    members,
    turnOff: approvals?.exempt?.includes("turnOff") ?? false,
  };
}

export function rulesOf(fields: Fields): Rules {
  const { comment, named, groups, members, turnOff } = fields;
  const required = Number(fields.required) || 0;
  return {
    comment: comment ? "required" : "optional",
    // What nobody asks needs no reviewers.
    approvals: {
      required,
      reviewers: required > 0 && named ? { groups, members } : { groups: [], members: [] },
      exempt: required > 0 && turnOff ? ["turnOff"] : [],
    },
  };
}

/** Whether less is asked than before, which takes a permission of its own. */
export function loosens(before: Rules, after: Rules): boolean {
  const was = fieldsOf(before);
  const is = fieldsOf(after);
  if (was.comment && !is.comment) return true;
  const [asked, asks] = [Number(was.required), Number(is.required)];
  if (asked === 0) return false;
  if (asks < asked) return true;
  const more =
    is.groups.some((it) => !was.groups.includes(it)) ||
    is.members.some((it) => !was.members.includes(it));
  return (is.turnOff && !was.turnOff) || (was.named && (!is.named || more));
}
