/** A flag of which one part is as it was, while somebody is at it. */
import { type WholeFlag, targetingIn } from "./flag";

/** The parts of a flag's page that people edit. */
export type Area =
  "prerequisites" | "targets" | "rules" | "defaultRule" | "offVariation" | "variations";

/**
 * The flag as it is now, with one part as it was `before`. Its versions are those of before, too:
 * whoever edits that part on is told of what they did not see.
 */
export function heldAt(
  now: WholeFlag,
  before: WholeFlag,
  area: Area,
  environment: string,
): WholeFlag {
  const { versions } = before;
  if (area === "variations") {
    const { variations, onVariation, offVariation } = before.flag;
    return { ...now, versions, flag: { ...now.flag, variations, onVariation, offVariation } };
  }
  const old = targetingIn(before, environment);
  const targeting = { ...targetingIn(now, environment), [area]: old[area] };
  return { ...now, versions, targetings: { ...now.targetings, [environment]: targeting } };
}
