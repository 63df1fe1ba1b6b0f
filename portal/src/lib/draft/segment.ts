/** Edits of segments: what they make of one, and the fewest that lead from one state to another. */
import {
  type Segment,
  type SegmentPlace,
  type WholeSegment,
  segmentRules,
} from "@/lib/model/segment";
import { joined, keysWithout } from "@/lib/keys";
import { same } from "./commands";
import { type Draft, settled } from "./draft";
import {
  type Edit,
  type SegmentEdit,
  type Subject,
  isSegmentEdit,
  sameSubject,
  subjectOf,
} from "./edit";
import { workedOut } from "./facets";

const subjectAt = ({ project, environment }: SegmentPlace, key: string): Subject => ({
  kind: "segment",
  key,
  project,
  environment,
});

/** The segment after those of the edits that are about it. */
export function appliedSegment(whole: WholeSegment, edits: readonly Edit[]): Segment {
  const subject = subjectAt(whole.place, whole.segment.key);
  return edits
    .filter(isSegmentEdit)
    .filter((edit) => sameSubject(subjectOf(edit), subject))
    .reduce(one, whole.segment);
}

function one(segment: Segment, edit: SegmentEdit): Segment {
  switch (edit.kind) {
    case "renameSegment":
      return { ...segment, name: edit.name };
    case "describeSegment":
      return { ...segment, description: edit.description };
    case "setSegmentTags":
      return { ...segment, tags: edit.tags };
    case "setIncluded":
      return { ...segment, included: edit.keys };
    case "addIncluded":
      return { ...segment, included: joined(segment.included, edit.keys).keys };
    case "removeIncluded":
      return { ...segment, included: keysWithout(segment.included, edit.keys) };
    case "setExcluded":
      return { ...segment, excluded: edit.keys };
    case "addExcluded":
      return { ...segment, excluded: joined(segment.excluded, edit.keys).keys };
    case "removeExcluded":
      return { ...segment, excluded: keysWithout(segment.excluded, edit.keys) };
    case "setSegmentRules":
      return {
        ...segment,
        rules: segmentRules(
          edit.rules.map(({ id, name, conditions }) => ({
            id: id ?? "",
            name: name ?? "",
            conditions: (conditions ?? []).map((it) => ({
              property: it.property,
              op: it.op ?? null,
              value: it.value ?? null,
            })),
          })),
        ),
      };
    case "archiveSegment":
      return { ...segment, archived: true };
    case "restoreSegment":
      return { ...segment, archived: false };
    default:
      return segment;
  }
}

/** What is different. */
export function segmentCommands(
  place: SegmentPlace,
  before: Segment,
  after: Segment,
): SegmentEdit[] {
  const of = { ...placed(place), segment: before.key };
  const edits: SegmentEdit[] = [];
  if (before.name !== after.name) edits.push({ ...of, kind: "renameSegment", name: after.name });
  if (before.description !== after.description) {
    edits.push({ ...of, kind: "describeSegment", description: after.description });
  }
  if (!same(before.tags, after.tags)) {
    edits.push({ ...of, kind: "setSegmentTags", tags: after.tags });
  }
  for (const { kind, keys } of listChanges(before.included, after.included)) {
    edits.push({ ...of, kind: `${kind}Included`, keys });
  }
  for (const { kind, keys } of listChanges(before.excluded, after.excluded)) {
    edits.push({ ...of, kind: `${kind}Excluded`, keys });
  }
  if (!same(before.rules, after.rules)) {
    edits.push({ ...of, kind: "setSegmentRules", rules: after.rules });
  }
  if (before.archived !== after.archived) {
    edits.push({ ...of, kind: after.archived ? "archiveSegment" : "restoreSegment" });
  }
  return edits;
}

/** Fields of a command: those that do not hold are left out. */
export function placed({ project, environment }: SegmentPlace) {
  return {
    ...(project === undefined ? {} : { project }),
    ...(environment === undefined ? {} : { environment }),
  };
}

/** Who comes and who goes; all of them, where that is shorter. */
function listChanges(before: string[], after: string[]) {
  if (before === after) return [];
  const gone = keysWithout(before, after);
  const come = keysWithout(after, before);
  if (gone.length + come.length > after.length && before.length > 0) {
    return [{ kind: "set" as const, keys: after }];
  }
  return [
    { kind: "remove" as const, keys: gone },
    { kind: "add" as const, keys: come },
  ].filter(({ keys }) => keys.length > 0);
}

/** The draft after a segment was edited. */
export function withSegment(
  draft: Draft,
  whole: WholeSegment,
  edit: (segment: Segment) => Segment,
): Draft {
  const { place, segment, versions } = whole;
  const edits = segmentCommands(place, segment, edit(appliedSegment(whole, draft.commands)));
  const subject = subjectAt(place, segment.key);
  const others = draft.commands.filter(
    (it) => !workedOut(it) || !sameSubject(subjectOf(it), subject),
  );
  return settled(draft, versions, [...others, ...edits]);
}
