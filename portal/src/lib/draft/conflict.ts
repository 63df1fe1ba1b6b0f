/** Which edits another's change is in the way of, and what becomes of them. */
import type { Schemas } from "@/lib/api/client";
import { type Draft, filtered } from "./draft";
import { type Edit, scopeOf, subjectOf } from "./edit";
import { facetOf } from "./facets";

type Collision = Schemas["Collision"];

/** The edits that collide. Where no part says which, all that is about the same in that place. */
export function colliding(draft: Draft, collision: Collision): Edit[] {
  const near = draft.commands.filter((edit) => {
    const { kind, key } = subjectOf(edit);
    return kind === collision.kind && key === collision.key && scopeOf(edit) === collision.scope;
  });
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
