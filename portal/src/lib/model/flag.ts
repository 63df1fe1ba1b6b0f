/** A flag as the portal edits it: what the API gives, with nothing left open. */
import type { Schemas } from "@/lib/api/client";

export interface Variation {
  id: string;
  name: string | null;
  value: string;
}

export interface Part {
  id: string;
  rollout: [number, number];
  exptRollout: number;
}

/** Who gets which share, by which property; `null` is the user's key. */
export interface Serving {
  parts: Part[];
  dispatchKey: string | null;
  includedInExpt: boolean;
}

export interface Condition {
  property: string;
  op: string | null;
  value: string | null;
}

export interface Rule {
  id: string;
  name: string;
  conditions: Condition[];
  serving: Serving;
}

/** What another flag has to serve. */
export interface Prerequisite {
  /** Its key. */
  flag: string;
  /** A variation's id. */
  variation: string;
}

/** What a flag does in one environment. */
export interface Targeting {
  released: boolean;
  on: boolean;
  /** Without them it serves what it does while off. */
  prerequisites: Prerequisite[];
  /** Keys by variation. */
  targets: Record<string, string[]>;
  rules: Rule[];
  defaultRule: Serving;
  offVariation: string;
}

export interface Flag {
  key: string;
  name: string;
  description: string;
  type: Schemas["VariationType"];
  archived: boolean;
  tags: string[];
  variations: Variation[];
  onVariation: string;
  offVariation: string;
}

/** A flag everywhere. */
export interface WholeFlag {
  project: string;
  flag: Flag;
  /** By environment; where it was never edited there is none. */
  targetings: Record<string, Targeting>;
  /** For a change set's `base`. */
  versions: Record<string, number>;
}

/** The flag that the API describes. */
export function wholeFlag(project: string, detail: Schemas["FlagDetail"]): WholeFlag {
  const targetings = Object.entries(detail.environments).map(
    ([environment, view]) => [environment, targeting(view)] as const,
  );
  return {
    project,
    flag: {
      key: detail.key,
      name: detail.name,
      description: detail.description,
      type: detail.type,
      archived: detail.state === "archived",
      tags: detail.tags,
      variations: detail.variations.map(({ id, name, value }) => ({
        id,
        name: name ?? null,
        value,
      })),
      onVariation: detail.onVariation,
      offVariation: detail.offVariation,
    },
    targetings: Object.fromEntries(targetings),
    versions: detail.versions,
  };
}

function targeting(view: Schemas["TargetingView"]): Targeting {
  const targets = view.targets.map(
    ({ variationId, keyIds }) => [variationId ?? "", keyIds ?? []] as const,
  );
  return {
    released: true,
    on: view.isEnabled,
    prerequisites: view.prerequisites.map(({ flag, variation }) => ({ flag, variation })),
    targets: Object.fromEntries(targets.filter(([, keys]) => keys.length > 0)),
    rules: view.rules.map(rule),
    defaultRule: serving(view.defaultRule),
    offVariation: view.offVariation,
  };
}

function rule(view: Schemas["Rule"]): Rule {
  const conditions = (view.conditions ?? []).map(({ property, op, value }) => ({
    property: property ?? "",
    op: op ?? null,
    value: value ?? null,
  }));
  return { id: view.id ?? "", name: view.name ?? "", conditions, serving: serving(view) };
}

/** Who is served what, as a rule or the default rule says it. */
export function serving(view: Schemas["Fallthrough"]): Serving {
  const parts = (view.variations ?? []).map(({ id, rollout, exptRollout }) => ({
    id: id ?? "",
    rollout: [rollout[0] ?? 0, rollout[1] ?? 0] as [number, number],
    exptRollout: exptRollout ?? 1,
  }));
  return {
    parts,
    dispatchKey: view.dispatchKey ?? null,
    includedInExpt: view.includedInExpt ?? false,
  };
}

/** Everybody gets one variation. */
export function everybody(variation: string): Serving {
  const part: Part = { id: variation, rollout: [0, 1], exptRollout: 1 };
  return { parts: [part], dispatchKey: null, includedInExpt: false };
}

/** What a flag does where it was never edited: what the first edit there begins with. */
export function unreleased(flag: Flag): Targeting {
  return {
    released: false,
    on: false,
    prerequisites: [],
    targets: {},
    rules: [],
    defaultRule: everybody(flag.onVariation),
    offVariation: flag.offVariation,
  };
}

/** What it does in an environment, released or not. */
export function targetingIn(whole: WholeFlag, environment: string): Targeting {
  return whole.targetings[environment] ?? unreleased(whole.flag);
}

/** As people know it: by its name, else by its value. */
export function labelOf(variation: Variation | undefined): string {
  return variation ? (variation.name ?? variation.value) : "?";
}
