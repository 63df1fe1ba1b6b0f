/** Where a variation is served: who takes it away has to know. */
import { type Targeting, type WholeFlag } from "./flag";

export type Place =
  { kind: "rule"; number: number; name: string } | { kind: "targets" | "default" | "off" };

export interface ServedIn {
  environment: string;
  places: Place[];
}

/** The environments that serve a variation, and by what. */
export function servedIn(whole: WholeFlag, variation: string): ServedIn[] {
  return Object.entries(whole.targetings)
    .map(([environment, targeting]) => ({ environment, places: places(targeting, variation) }))
    .filter((it) => it.places.length > 0);
}

function places(targeting: Targeting, variation: string): Place[] {
  const serves = (parts: { id: string }[]) => parts.some((it) => it.id === variation);
  const found: Place[] = [];
  if ((targeting.targets[variation] ?? []).length > 0) found.push({ kind: "targets" });
  targeting.rules.forEach((rule, index) => {
    if (serves(rule.serving.parts))
      found.push({ kind: "rule", number: index + 1, name: rule.name });
  });
  if (serves(targeting.defaultRule.parts)) found.push({ kind: "default" });
  if (targeting.offVariation === variation) found.push({ kind: "off" });
  return found;
}
