/** Segments of two environments side by side, and the commands that take one over. */
import type { Schemas } from "./api/client";
import { same } from "./draft/commands";
import type { SegmentEdit } from "./draft/edit";
import { segmentCommands } from "./draft/segment";
import { keysWithout } from "./keys";
import { type Segment, segmentRules } from "./model/segment";

export const PARTS = ["state", "details", "included", "rules", "excluded"] as const;
export type Part = (typeof PARTS)[number];

export interface ComparedSegment {
  key: string;
  from: Segment | undefined;
  to: Segment | undefined;
  /** The parts that differ. */
  parts: Part[];
}

const segment = (past: Schemas["PastSegment"]): Segment => ({
  key: past.key,
  name: past.name,
  description: past.description,
  tags: [],
  archived: past.isArchived,
  included: past.included,
  excluded: past.excluded,
  rules: segmentRules(past.rules),
});

/** The segments that differ, by key. */
export function comparedSegments(
  from: readonly Schemas["PastSegment"][],
  to: readonly Schemas["PastSegment"][],
): ComparedSegment[] {
  const byKey = (list: readonly Schemas["PastSegment"][]) =>
    new Map(list.map((it) => [it.key, segment(it)] as const));
  const here = byKey(from);
  const there = byKey(to);
  const keys = [...new Set([...here.keys(), ...there.keys()])].toSorted();
  return (
    keys
      .map((key) => {
        const pair = { from: here.get(key), to: there.get(key) };
        return { key, ...pair, parts: PARTS.filter((part) => differ(part, pair.from, pair.to)) };
      })
      // Archived in both, or in the one and nowhere else: nobody's difference.
      .filter(({ from, to, parts }) => parts.length > 0 && !(gone(from) && gone(to)))
  );
}

const gone = (it: Segment | undefined) => !it || it.archived;

function differ(part: Part, a: Segment | undefined, b: Segment | undefined): boolean {
  if (!a || !b) return true;
  switch (part) {
    case "state":
      return a.archived !== b.archived;
    case "details":
      return a.name !== b.name || a.description !== b.description;
    case "rules":
      // Their ids are each environment's own.
      return !same(bare(a), bare(b));
    default:
      return a[part].length !== b[part].length || keysWithout(a[part], b[part]).length > 0;
  }
}

const bare = ({ rules }: Segment) => rules.map(({ name, conditions }) => ({ name, conditions }));

/** How many of one list are not in the other. */
export const onlyIn = (one: readonly string[], other: readonly string[] | undefined): number =>
  other ? keysWithout(one, other).length : 0;

/** What makes a segment, or parts of it, as it is where it is taken from. */
export function takeSegment(
  place: { project: string; environment: string },
  { key, from, to }: ComparedSegment,
  parts: readonly Part[] = PARTS,
): SegmentEdit[] {
  if (!from) return [];
  const { name, description, included, excluded, rules } = from;
  if (!to) {
    const made = { name, description, included, excluded, rules };
    return [{ kind: "createSegment", ...place, segment: key, ...made }];
  }
  const after = parts.reduce<Segment>((it, part) => {
    if (part === "state") return { ...it, archived: from.archived };
    if (part === "details") return { ...it, name, description };
    return { ...it, [part]: from[part] };
  }, to);
  return segmentCommands(place, to, after);
}
