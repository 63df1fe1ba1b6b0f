/** The part that somebody edits on after a conflict: its page goes there, and says what the other made. */
import type { Schemas } from "@/lib/api/client";
import { store } from "@/lib/store";
import { type Edit, scopeOf, subjectOf } from "./edit";
import { areaOf } from "./facets";

/** A part of a flag or a segment, in one place. */
export interface Attendable {
  kind: string;
  key: string;
  scope: string;
  area: string;
}

interface Attended extends Omit<Attendable, "area"> {
  /** The parts that both changed. */
  areas: string[];
  /** Who changed it, and what they made of it. */
  by: string;
  lines: Schemas["DiffLine"][];
  /** The rule that is meant, where it is one. */
  rule?: string;
}

export const attended = store<Attended | undefined>(undefined);

export const isAbout = (edit: Edit, { kind, key, scope, area }: Attendable): boolean => {
  const subject = subjectOf(edit);
  return (
    subject.kind === kind && subject.key === key && scopeOf(edit) === scope && areaOf(edit) === area
  );
};

/** What of it is meant here, and whether it is the part where one begins. */
export function attendedHere(now: Attended | undefined, of: Attendable) {
  const same = now?.kind === of.kind && now.key === of.key && now.scope === of.scope;
  if (!same || !now.areas.includes(of.area)) return undefined;
  const { by, rule, lines, areas } = now;
  const here = lines.filter((it) => areaOfLine(it) === of.area);
  return { by, rule, lines: here, first: areas[0] === of.area };
}

const LINES: [RegExp, string][] = [
  [/^(turnedOn|turnedOff|flagReleased)$/, "onOff"],
  [/^prerequisites/, "prerequisites"],
  [/^targets/, "targets"],
  [/^(rule|segmentRules)/, "rules"],
  [/^defaultRule/, "defaultRule"],
  [/^offVariation/, "offVariation"],
  [/^variation/, "variations"],
  [/^(flag|segment)(Renamed|Described|Tagged)$/, "metadata"],
];

/** The part that a line of a diff is about. */
function areaOfLine({ code, params }: Schemas["DiffLine"]): string | undefined {
  if (code.startsWith("members")) return params["list"];
  return LINES.find(([pattern]) => pattern.test(code))?.[1];
}
