/** The commands that a draft holds: on flags, on what they do somewhere, and on segments. */
import type { Command } from "@/lib/api/client";

/** A command on a flag of a project. */
export type FlagEdit = Extract<Command, { flag: string }> & { project: string };

/** A command on a segment: of the organization, of a project, or of an environment. */
export type SegmentEdit = Extract<Command, { segment: string }>;

export type Edit = FlagEdit | SegmentEdit;

/** What an edit is about. */
export interface Subject {
  kind: "flag" | "segment";
  key: string;
  /** None for a segment of the organization. */
  project: string | undefined;
  /** Where only what is done in one environment is meant. */
  environment: string | undefined;
}

export const isFlagEdit = (edit: Edit): edit is FlagEdit => "flag" in edit;

export const isSegmentEdit = (edit: Edit): edit is SegmentEdit => "segment" in edit;

/** The environment that an edit names. */
export const environmentOf = (edit: Edit): string | undefined =>
  "environment" in edit ? (edit.environment ?? undefined) : undefined;

export function subjectOf(edit: Edit): Subject {
  const project = edit.project ?? undefined;
  const environment = environmentOf(edit);
  return isFlagEdit(edit)
    ? { kind: "flag", key: edit.flag, project, environment }
    : { kind: "segment", key: edit.segment, project, environment };
}

/** What a command's version is counted in: empty for the organization. */
export function scopeOf(edit: Edit): string {
  const { project, environment } = subjectOf(edit);
  return [project, environment].filter((it) => it !== undefined).join("/");
}

/** Where it is, in short: the environment, else the project; empty for the organization. */
export function placeOf(edit: Edit): string {
  return environmentOf(edit) ?? edit.project ?? "";
}

/** Whether two edits are about the same. */
export function sameSubject(a: Subject, b: Subject): boolean {
  return (
    a.kind === b.kind &&
    a.key === b.key &&
    a.project === b.project &&
    a.environment === b.environment
  );
}

/** The edits of commands that the API worked out, for promoting and going back. */
export function editsOf(commands: readonly Command[], project?: string): Edit[] {
  return commands.map((it): Edit => {
    if ("segment" in it) return it;
    return { ...it, project: it.project ?? project ?? "" };
  });
}
