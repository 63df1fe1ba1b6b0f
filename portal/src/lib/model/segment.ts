/** A segment as the portal edits it, and where it belongs. */
import type { Schemas } from "@/lib/api/client";
import type { Condition } from "./flag";

/** Whose a segment is: an environment's, a project's, or (with neither) the organization's. */
export interface SegmentPlace {
  project?: string | undefined;
  environment?: string | undefined;
}

export interface SegmentRule {
  id: string;
  name: string;
  conditions: Condition[];
}

export interface Segment {
  key: string;
  name: string;
  description: string;
  tags: string[];
  archived: boolean;
  included: string[];
  excluded: string[];
  rules: SegmentRule[];
}

export interface WholeSegment {
  place: SegmentPlace;
  segment: Segment;
  /** For a change set's `base`. */
  versions: Record<string, number>;
}

/** Its scope as versions name it. */
export function scopeOfPlace({ project, environment }: SegmentPlace): string {
  return [project, environment].filter((it) => it !== undefined).join("/");
}

/** The segment that the API describes. */
export function wholeSegment(place: SegmentPlace, detail: Schemas["SegmentDetail"]): WholeSegment {
  return {
    place,
    segment: {
      key: detail.key,
      name: detail.name,
      description: detail.description,
      tags: detail.tags,
      archived: detail.state === "archived",
      included: detail.included,
      excluded: detail.excluded,
      rules: segmentRules(detail.rules),
    },
    versions: detail.versions,
  };
}

export function segmentRules(rules: readonly Schemas["SegmentRule"][]): SegmentRule[] {
  return rules.map(({ id, name, conditions }) => ({
    id: id ?? "",
    name: name ?? "",
    conditions: (conditions ?? []).map(({ property, op, value }) => ({
      property: property ?? "",
      op: op ?? null,
      value: value ?? null,
    })),
  }));
}

/** What stands in an address for a place; no key begins like the shared ones. */
export const PROJECT = "~project";
export const ORGANIZATION = "~organization";

export function addressOf({ project, environment }: SegmentPlace): string {
  if (environment !== undefined) return environment;
  return project === undefined ? ORGANIZATION : PROJECT;
}

/** The place that an address of a project names. */
export function placeAt(project: string, address: string): SegmentPlace {
  if (address === ORGANIZATION) return {};
  return address === PROJECT ? { project } : { project, environment: address };
}

/** What permissions call it. */
export function resourceOf({ project, environment }: SegmentPlace, key: string): string {
  const whose = [
    ...(project === undefined ? [] : [`project/${project}`]),
    ...(environment === undefined ? [] : [`env/${environment}`]),
  ];
  return [...whose, `segment/${key}`].join(":");
}
