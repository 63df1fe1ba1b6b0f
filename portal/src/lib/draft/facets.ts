/** The parts of a flag or a segment that edits change. */
import { type Edit, subjectOf } from "./edit";

/** The part that an edit changes, as the API names it. */
export function facetOf(edit: Edit): unknown {
  switch (edit.kind) {
    case "setTargets":
    case "addTargets":
    case "removeTargets":
      return { targets: edit.variation };
    case "addRule":
    case "updateRule":
      return { rule: edit.rule.id };
    case "removeRule":
      return { rule: edit.rule };
    case "setRules":
    case "moveRule":
      return "ruleOrder";
    default:
      return areaOf(edit);
  }
}

/** The facet of an edit, with what is about users, about rules and about names taken together. */
export function areaOf({ kind }: Edit): string {
  switch (kind) {
    case "turnOn":
    case "turnOff":
      return "onOff";
    case "setTargets":
    case "addTargets":
    case "removeTargets":
      return "targets";
    case "setRules":
    case "addRule":
    case "updateRule":
    case "removeRule":
    case "moveRule":
    case "setSegmentRules":
      return "rules";
    case "setDefaultRule":
      return "defaultRule";
    case "setOffVariation":
      return "offVariation";
    case "setPrerequisites":
      return "prerequisites";
    case "setTracking":
      return "tracking";
    case "setVariations":
    case "updateVariation":
      return "variations";
    case "setIncluded":
    case "addIncluded":
    case "removeIncluded":
      return "included";
    case "setExcluded":
    case "addExcluded":
    case "removeExcluded":
      return "excluded";
    case "createFlag":
    case "archiveFlag":
    case "restoreFlag":
    case "deleteFlag":
    case "createSegment":
    case "archiveSegment":
    case "restoreSegment":
    case "deleteSegment":
      return "life";
    default:
      return "metadata";
  }
}

/**
 * Whether an edit is worked out again from the flag before and after, when somebody edits on. What
 * the pages cannot show stays as it is.
 */
export function workedOut({ kind }: Edit): boolean {
  return !KEPT.has(kind);
}

const KEPT: ReadonlySet<Edit["kind"]> = new Set([
  "createFlag",
  "deleteFlag",
  "setTracking",
  "createSegment",
  "deleteSegment",
]);

/** What takes the place of what: the subject, where, and which area of it. */
export function partOf(edit: Edit): string {
  const { kind, key, project, environment } = subjectOf(edit);
  const area = areaOf(edit);
  const making = edit.kind === "createFlag" || edit.kind === "createSegment";
  // A name, a description and tags are one area for conflicts, and not one another's.
  const part = area === "metadata" || making ? edit.kind : area;
  return JSON.stringify([kind, key, project, environment, part]);
}
