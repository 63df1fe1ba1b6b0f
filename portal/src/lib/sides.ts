/** What stands side by side where environments are compared, in the reader's words. */
import type { Schemas } from "./api/client";
import { type Prerequisite, type Variation, labelOf, serving } from "./model/flag";
import { type Phrases, conditionWords, some } from "./phrases";
import { servingWords } from "./words";

type Facet = Schemas["TargetingFacet"];
type Side = Schemas["Side"];

/** All parts of a targeting: what "all" takes. */
export const FACETS: Facet[] = [
  "onOff",
  "prerequisites",
  "targets",
  "rules",
  "defaultRule",
  "offVariation",
  "tracking",
];

export interface Difference {
  facet: Facet;
  from: Side | null;
  to: Side | null;
}

/** The parts that differ; where it is released in one place alone, those that say something. */
export function differences({ released, facets }: Schemas["ComparedFlag"]): Difference[] {
  const both = released.every(Boolean);
  return facets
    .filter(({ equal, sides }) => (both ? !equal : sides?.some(says) === true))
    .map(({ facet, sides }) => ({
      facet,
      from: (sides?.[0] ?? null) as Side | null,
      to: (sides?.[1] ?? null) as Side | null,
    }));
}

/** Whether a side is more than what every flag begins with. */
function says(side: unknown): boolean {
  const value = (side as Side | null)?.value;
  if (value === undefined || value === null) return side !== null && (side as Side).cut;
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === "object" && "tracked" in value) return value.tracked === true;
  // The variation while off is the flag's own until somebody says otherwise.
  return typeof value !== "string";
}

interface Targets {
  variation: string;
  count: number;
  keys: string[];
}

interface Tracking {
  tracked?: boolean;
  exptIncludeAllTargets?: boolean;
}

/**
 * A side in words: in the reader's language where the flag's variations are known, else as the
 * server says it.
 */
export function sideWords(
  phrases: Phrases,
  facet: Facet,
  side: Side | null,
  variations: readonly Variation[] | undefined,
): string {
  const { t } = phrases;
  if (side === null) return t("compare.notReleased");
  const { value, words } = side;
  if (facet === "onOff") return t(value === true ? "flags.on" : "flags.off");
  // What is large comes without its value.
  if (value === null || value === undefined) return words;
  if (facet === "prerequisites") {
    return neededWords(phrases, value as Prerequisite[], words);
  }
  if (facet === "tracking") return trackingWords(phrases, value as Tracking);
  if (!variations) return words;
  const label = (id: string) => labelOf(variations.find((it) => it.id === id));
  switch (facet) {
    case "offVariation":
      return label(String(value));
    case "defaultRule":
      return servingWords(phrases, serving(value as Schemas["Fallthrough"]), variations);
    case "targets": {
      const lists = (value as Targets[]).map(({ variation, count, keys }) => {
        const users = some(phrases, keys, count - keys.length);
        return t("compare.targets", { variation: label(variation), users });
      });
      return lists.length === 0 ? t("compare.nobody") : lists.join("\n");
    }
    case "rules": {
      const rules = (value as Schemas["Rule"][]).map((rule, index) =>
        t("compare.rule", {
          name: rule.name || t("flag.ruleNumber", { number: index + 1 }),
          conditions: conditionWords(
            phrases,
            (rule.conditions ?? []).map((it) => ({
              property: it.property ?? "",
              op: it.op ?? null,
              value: it.value ?? null,
            })),
          ),
          serving: servingWords(phrases, serving(rule), variations),
        }),
      );
      return rules.length === 0 ? t("compare.noRules") : rules.join("\n");
    }
    default:
      return words;
  }
}

/** Variations of other flags are known to the server. */
function neededWords({ t }: Phrases, needed: Prerequisite[], words: string): string {
  return needed.length === 0 ? t("compare.noPrerequisites") : words;
}

function trackingWords({ t, list }: Phrases, of: Tracking): string {
  const kept = t(of.tracked ? "compare.tracked" : "compare.notTracked");
  return of.exptIncludeAllTargets ? list([kept, t("compare.everybodyInExperiments")]) : kept;
}
