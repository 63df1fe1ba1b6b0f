/** Which edits another's change is in the way of, and what becomes of them. */
import type { Schemas } from "@/lib/api/client";
import type { Edit } from "./apply";
import { type Draft, filtered, scopeOf } from "./draft";

type Collision = Schemas["Collision"];

/** The part of a flag that an edit changes, as the API names it. */
export function facetOf(edit: Edit): unknown {
  switch (edit.kind) {
    case "turnOn":
    case "turnOff":
      return "onOff";
    case "addTargets":
    case "removeTargets":
      return { targets: edit.variation };
    case "addRule":
    case "updateRule":
      return { rule: edit.rule.id };
    case "removeRule":
      return { rule: edit.rule };
    case "moveRule":
      return "ruleOrder";
    case "setDefaultRule":
      return "defaultRule";
    case "setOffVariation":
      return "offVariation";
    case "setVariations":
      return "variations";
    case "archiveFlag":
    case "restoreFlag":
      return "life";
    default:
      return "metadata";
  }
}

/** The edits that collide. Where no part says which, all of the flag's in that place. */
export function colliding(draft: Draft, collision: Collision): Edit[] {
  const near = draft.commands.filter(
    (edit) => edit.flag === collision.key && scopeOf(edit) === collision.scope,
  );
  const facets = new Set(collision.facets.map((it) => JSON.stringify(it)));
  const exact = near.filter((edit) => facets.has(JSON.stringify(facetOf(edit))));
  return exact.length > 0 ? exact : near;
}

/** Mine shall hold: it is applied on what the other made. */
export function keepMine(draft: Draft, collision: Collision): Draft {
  const seen = draft.base[collision.scope] ?? 0;
  const version = Math.max(seen, collision.version);
  return { ...draft, base: { ...draft.base, [collision.scope]: version } };
}

/** The other's holds: mine is gone. */
export function takeTheirs(draft: Draft, collision: Collision): Draft {
  const gone = new Set(colliding(draft, collision));
  return filtered(draft, (edit) => !gone.has(edit));
}
