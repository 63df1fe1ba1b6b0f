/**
 * Edits that nobody has applied yet: a list of commands and the versions that they were made on.
 * Pure; `store.ts` keeps it.
 */
import { type Flag, type Targeting, type WholeFlag, targetingIn } from "@/lib/model/flag";
import { applied } from "./apply";
import { flagCommands, targetingCommands } from "./commands";
import { type Edit, type Subject, environmentOf, sameSubject, scopeOf, subjectOf } from "./edit";
import { partOf, workedOut } from "./facets";
import type { Plan } from "./plan";

export interface Draft {
  /** Versions by scope (`web`, `web/prod`), as they were looked at. */
  base: Record<string, number>;
  commands: Edit[];
  /** The request that they were taken from: sent again, they are its next revision. */
  revises?: Revised;
  note?: Note;
  /** Conflicts that were decided, while others in the same scope are not. */
  decided?: string[];
}

/** What is said about the edits, and when they shall be applied. */
export interface Note {
  comment?: string;
  /** Of the request that they become. */
  title?: string;
  /** Where they are not applied at once. */
  plan?: Plan | undefined;
}

export interface Revised {
  id: string;
  title: string;
  /** The revision that they were taken from. */
  revision: number;
}

export const EMPTY: Draft = { base: {}, commands: [] };

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
  const subject: Subject = { kind: "flag", key: flag.key, project, environment };
  const others = draft.commands.filter(
    (it) => !workedOut(it) || !sameSubject(subjectOf(it), subject),
  );
  return settled(draft, whole.versions, [...others, ...edits]);
}

/** The draft after the flag itself was edited. */
export function withFlag(draft: Draft, whole: WholeFlag, edit: (flag: Flag) => Flag): Draft {
  const { project, flag } = whole;
  const now = applied(whole, draft.commands).flag;
  const edits = flagCommands(project, flag, edit(now));
  const subject: Subject = { kind: "flag", key: flag.key, project, environment: undefined };
  const others = draft.commands.filter(
    (it) => !workedOut(it) || !sameSubject(subjectOf(it), subject),
  );
  // A variation is there before it is served.
  return settled(draft, whole.versions, [...edits, ...others]);
}

/**
 * The draft with commands that were worked out elsewhere: for many flags at once, to promote, to go
 * back. They take the place of what was to become of the same parts.
 */
export function withCommands(draft: Draft, more: Draft): Draft {
  const parts = new Set(more.commands.map(partOf));
  const others = draft.commands.filter((it) => !parts.has(partOf(it)));
  return settled(draft, more.base, [...others, ...more.commands]);
}

/** Without one of its commands. */
export function without(draft: Draft, index: number): Draft {
  return trimmed({ ...draft, commands: draft.commands.toSpliced(index, 1) });
}

/** Without the commands of these flags and scopes that were applied or taken over. */
export function filtered(draft: Draft, stays: (edit: Edit) => boolean): Draft {
  return trimmed({ ...draft, commands: draft.commands.filter(stays) });
}

/** Keys of a project's flags, or segments, that are edited. */
export function editedIn(draft: Draft, kind: Subject["kind"], project: string): Set<string> {
  const about = draft.commands.map(subjectOf);
  return new Set(
    about.filter((it) => it.kind === kind && it.project === project).map((it) => it.key),
  );
}

/** The environments that edits name, in the order in which they were made. */
export function environmentsOf(commands: readonly Edit[]): string[] {
  return [...new Set(commands.flatMap((it) => environmentOf(it) ?? []))];
}

/** How many changes there are in each scope, in the order in which they were made. */
export function counts(draft: Draft): [scope: string, changes: number][] {
  const found = new Map<string, number>();
  for (const edit of draft.commands) {
    found.set(scopeOf(edit), (found.get(scopeOf(edit)) ?? 0) + 1);
  }
  return [...found];
}

/** A scope's version is that of its first edit: what came later may be in the way of it. */
export function settled(draft: Draft, versions: Record<string, number>, commands: Edit[]): Draft {
  const base = { ...draft.base };
  for (const scope of new Set(commands.map(scopeOf))) {
    const version = versions[scope];
    if (base[scope] === undefined && version !== undefined) base[scope] = version;
  }
  return trimmed({ ...draft, base, commands });
}

function trimmed(draft: Draft): Draft {
  const scopes = new Set(draft.commands.map(scopeOf));
  const base = Object.entries(draft.base).filter(([scope]) => scopes.has(scope));
  const { revises, note, decided, commands } = draft;
  const kept =
    commands.length === 0
      ? {}
      : { ...(revises && { revises }), ...(note && { note }), ...(decided && { decided }) };
  return { commands, base: Object.fromEntries(base), ...kept };
}
