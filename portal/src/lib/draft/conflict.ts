/** Which edits another's change is in the way of, and what becomes of them. */
import type { Schemas } from "@/lib/api/client";
import { type WholeFlag, targetingIn } from "@/lib/model/flag";
import { type Draft, filtered } from "./draft";
import { type Edit, isFlagEdit, scopeOf, subjectOf } from "./edit";
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

/** What a conflict is called in the draft. */
export const nameOf = ({ kind, key, scope, version }: Collision): string =>
  JSON.stringify([kind, key, scope, version]);

/** Those of the conflicts that nobody has decided. */
export function undecided(draft: Draft, all: readonly Collision[]): Collision[] {
  return all.filter((it) => !draft.decided?.includes(nameOf(it)));
}

/** Mine shall hold: it is applied on what the other made. */
export function keepMine(draft: Draft, collision: Collision, all: readonly Collision[]): Draft {
  return decided(draft, collision, all);
}

/** The other's holds: mine is gone. */
export function takeTheirs(draft: Draft, collision: Collision, all: readonly Collision[]): Draft {
  const gone = new Set(colliding(draft, collision));
  return decided(
    filtered(draft, (edit) => !gone.has(edit)),
    collision,
    all,
  );
}

/**
 * The draft once a conflict is decided. A scope has one version: it moves when the last conflict
 * there is decided, since what others changed must not be passed over with it.
 */
function decided(draft: Draft, collision: Collision, all: readonly Collision[]): Draft {
  const { scope } = collision;
  const names = [...(draft.decided ?? []), nameOf(collision)];
  const here = all.filter((it) => it.scope === scope);
  if (!here.every((it) => names.includes(nameOf(it)))) return { ...draft, decided: names };
  const gone = new Set(here.map(nameOf));
  const left = names.filter((it) => !gone.has(it));
  const seen = draft.base[scope];
  // Nothing of mine may be left in that scope.
  const base =
    seen === undefined
      ? draft.base
      : { ...draft.base, [scope]: Math.max(seen, ...here.map((it) => it.version)) };
  const { decided: _, ...rest } = draft;
  return { ...rest, base, ...(left.length > 0 && { decided: left }) };
}

/**
 * The draft as it fits a flag that another has changed: a rule of mine that is gone there is added
 * again, and what is gone is neither moved nor removed.
 */
export function fitted(draft: Draft, whole: WholeFlag): Draft {
  return {
    ...draft,
    commands: draft.commands.flatMap((edit): Edit[] => {
      const mine = isFlagEdit(edit) && edit.flag === whole.flag.key;
      if (!mine || edit.project !== whole.project || !("environment" in edit)) return [edit];
      const { project, flag, environment } = edit;
      const { rules } = targetingIn(whole, environment);
      const there = (id: string | null | undefined) => rules.some((it) => it.id === id);
      switch (edit.kind) {
        case "updateRule":
          if (there(edit.rule.id)) return [edit];
          return [{ project, flag, environment, kind: "addRule", rule: edit.rule }];
        case "removeRule":
        case "moveRule":
          return there(edit.rule) ? [edit] : [];
        default:
          return [edit];
      }
    }),
  };
}
