/** What went wrong, in the reader's words. */
import type { TFunction } from "i18next";
import { type Problem, Refused } from "./api/client";

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
  const text =
    error.retryAfter !== undefined && error.status === 429
      ? t("problem.wait", { count: Math.ceil(error.retryAfter) })
      : words(t, code, problem?.detail ?? t("problem.status", { status: error.status }));
  return { text, fields: Object.fromEntries(fields), code };
}

/** Codes are said in the reader's language; what has no words of ours, in the server's. */
function words(t: TFunction, code: string, detail: string): string {
  return t(`problem.codes.${code}` as "problem.codes.taken", { defaultValue: detail });
}
