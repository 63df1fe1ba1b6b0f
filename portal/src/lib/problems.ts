/** What went wrong, in the reader's words. */
import type { TFunction } from "i18next";
import { type Problem, Refused, type Schemas } from "./api/client";

export interface Said {
  /** What happened. */
  text: string;
  /** Fields, by the pointer into what was sent. */
  fields: Record<string, string>;
  code: string;
}

export function said(t: TFunction, error: unknown): Said {
  if (!(error instanceof Refused)) {
    return { text: t("problem.unreachable"), fields: {}, code: "unreachable" };
  }
  const problem: Problem | undefined = error.problem;
  const code = problem?.code ?? String(error.status);
  const fields = (problem?.errors ?? []).map(
    (it) => [it.pointer, words(t, it.code, it.detail)] as const,
  );
  const text = problem?.lacks
    ? lackWords(t, problem.lacks)
    : error.retryAfter !== undefined && error.status === 429
      ? t("problem.wait", { count: Math.ceil(error.retryAfter) })
      : words(t, code, problem?.detail ?? t("problem.status", { status: error.status }));
  return { text, fields: Object.fromEntries(fields), code };
}

/** The permission that is missing, where that is what is wrong. */
export function lackOf(error: unknown): Schemas["Lacks"] | undefined {
  return (error instanceof Refused ? error.problem?.lacks : undefined) ?? undefined;
}

/** Which permission is missing, on what; and who can grant it, where that is known. */
export function lackWords(t: TFunction, { action, resource }: Schemas["Lacks"], names?: string) {
  // Whether an environment is protected is for programs.
  const slots = { action, resource: resource.replace(/@(un)?protected/, "") };
  return names === undefined
    ? t("needs.permission", slots)
    : t("needs.permissionFrom", { ...slots, names });
}

/** Codes are said in the reader's language; what has no words of ours, in the server's. */
function words(t: TFunction, code: string, detail: string): string {
  return t(`problem.codes.${code}` as "problem.codes.taken", { defaultValue: detail });
}
