/** What the server says of the draft, and what follows for the way it can go. */
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Refused } from "@/lib/api/client";
import { asks, tryOut } from "@/lib/changes";
import { type Edit, environmentOf, scopeOf } from "@/lib/draft/edit";
import { incomplete } from "@/lib/draft/incomplete";
import { flawOf } from "@/lib/draft/plan";
import { useDraft } from "@/lib/draft/store";
import { useNow } from "@/lib/now";
import { useSettled } from "@/lib/settled";
import type { Way } from "./send";

/** While it is being `sent` it is not tried out, though that makes the answer old. */
export function useReview(organization: string, sent: boolean) {
  const { t } = useTranslation();
  const draft = useDraft();
  const now = useNow();
  const { base, commands, note, revises } = draft;
  // What is said about the edits is tried out by nobody.
  const edits = useMemo(() => ({ base, commands }), [base, commands]);
  // What is still being typed is not tried out at every key.
  const settled = useSettled(edits);
  const unfinished = incomplete(edits);
  const trial = useQuery({
    ...tryOut(organization, settled),
    ...(incomplete(settled) || sent ? { enabled: false } : {}),
  });
  const current = settled === edits ? trial : undefined;
  const needed = asks(current?.data);
  const asking = new Set(needed.approvals.map((it) => `${it.project}/${it.environment}`));
  // What is everywhere may be served where approval is asked for: it waits too.
  const free = (edit: Edit) => environmentOf(edit) !== undefined && !asking.has(scopeOf(edit));
  const plan = note?.plan;
  const flaw = plan && flawOf(draft, plan, now);
  const missing = needed.lacking[0];
  const blocked =
    (unfinished && t(`review.incomplete.${unfinished}`)) ||
    (missing && t("needs.permission", missing)) ||
    (flaw && t(`plan.flaws.${flaw.flaw}`, { step: flaw.step + 1 })) ||
    undefined;
  const way: Way = revises
    ? "revise"
    : plan
      ? "schedule"
      : needed.approvals.length > 0
        ? "request"
        : "apply";
  const wordless = note?.comment?.trim() ? [] : needed.comment;
  return {
    draft,
    edits,
    result: current?.data,
    refusal: current?.error ?? null,
    conflict: current?.error instanceof Refused && current.error.status === 412,
    needed,
    /** Environments that ask for a comment, while there is none. */
    wordless,
    free,
    mixed: needed.approvals.length > 0 && commands.some(free),
    blocked,
    way,
  };
}

export type Review = ReturnType<typeof useReview>;
