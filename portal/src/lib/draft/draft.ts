/**
 * Edits that nobody has applied yet: a list of commands and the versions that they were made on.
 * Pure; `store.ts` keeps it.
 */
import { type Flag, type Targeting, type WholeFlag, targetingIn } from "@/lib/model/flag";
import { type Edit, applied } from "./apply";
import { flagCommands, targetingCommands } from "./commands";

export interface Draft {
  /** Versions by scope (`web`, `web/prod`), as they were looked at. */
  base: Record<string, number>;
  commands: Edit[];
}

export const EMPTY: Draft = { base: {}, commands: [] };

/** What a command's version is counted in. */
export function scopeOf(edit: Edit): string {
  return "environment" in edit ? `${edit.project}/${edit.environment}` : edit.project;
}

/** The draft after a flag's targeting in an environment was edited. */
export function withTargeting(
  draft: Draft,
  whole: WholeFlag,
  environment: string,
  edit: (targeting: Targeting) => Targeting,
): Draft {
  const { project, flag } = whole;
  const now = targetingIn(applied(whole, draft.commands), environment);
  const place = { project, environment, flag: flag.key };
  const edits = targetingCommands(place, targetingIn(whole, environment), edit(now));
  const others = draft.commands.filter((it) => !at(it, place));
  return settled(draft, whole, [...others, ...edits]);
}

/** The draft after the flag itself was edited. */
export function withFlag(draft: Draft, whole: WholeFlag, edit: (flag: Flag) => Flag): Draft {
  const { project, flag } = whole;
  const now = applied(whole, draft.commands).flag;
  const edits = flagCommands(project, flag, edit(now));
  const others = draft.commands.filter(
    (it) => it.project !== project || it.flag !== flag.key || "environment" in it,
  );
  // A variation is there before it is served.
  return settled(draft, whole, [...edits, ...others]);
}

/** Without one of its commands. */
export function without(draft: Draft, index: number): Draft {
  return trimmed({ ...draft, commands: draft.commands.toSpliced(index, 1) });
}

/** Without the commands of these flags and scopes that were applied or taken over. */
export function filtered(draft: Draft, stays: (edit: Edit) => boolean): Draft {
  return trimmed({ ...draft, commands: draft.commands.filter(stays) });
}

/** How many changes there are in each scope, in the order in which they were made. */
export function counts(draft: Draft): [scope: string, changes: number][] {
  const found = new Map<string, number>();
  for (const edit of draft.commands) {
    found.set(scopeOf(edit), (found.get(scopeOf(edit)) ?? 0) + 1);
  }
  return [...found];
}

function at(edit: Edit, place: { project: string; environment: string; flag: string }): boolean {
  return (
    "environment" in edit &&
    edit.project === place.project &&
    edit.environment === place.environment &&
    edit.flag === place.flag
  );
}

/** A scope's version is that of its first edit: what came later may be in the way of it. */
function settled(draft: Draft, whole: WholeFlag, commands: Edit[]): Draft {
  const base = { ...draft.base };
  for (const scope of new Set(commands.map(scopeOf))) {
    const version = whole.versions[scope];
    if (base[scope] === undefined && version !== undefined) base[scope] = version;
  }
  return trimmed({ base, commands });
}

function trimmed(draft: Draft): Draft {
  const scopes = new Set(draft.commands.map(scopeOf));
  const base = Object.entries(draft.base).filter(([scope]) => scopes.has(scope));
  return { commands: draft.commands, base: Object.fromEntries(base) };
}
