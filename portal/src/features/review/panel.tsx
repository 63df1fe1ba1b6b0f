import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Effects } from "@/components/effects";
import { AreaField, TextField } from "@/components/field";
import { Lacking, Needs } from "@/components/needs";
import { Wrong } from "@/components/states";
import { Warnings } from "@/components/warnings";
import { Refused } from "@/lib/api/client";
import { placeOf } from "@/lib/draft/edit";
import { annotate } from "@/lib/draft/store";
import { Conflicts } from "./conflicts";
import { Edits } from "./edits";
import { OverrideForm } from "./override";
import { PlanForm } from "./plan-form";
import { Prepared } from "./prepared";
import classes from "./review.module.css";
import { titleOf, type useSend } from "./send";
import type { Review } from "./use-review";

interface Props {
  organization: string;
  review: Review;
  sending: ReturnType<typeof useSend>;
  overriding: boolean;
  setOverriding: (is: boolean) => void;
  close: () => void;
}

/** Each edit as a sentence, what they would do together, and what they take. */
export function Panel(props: Props) {
  const { organization, review, sending, overriding, setOverriding, close } = props;
  const { t } = useTranslation();
  const { draft, result, needed, free, mixed, way } = review;
  const { note = {} } = draft;
  const error = sending.error ?? review.refusal;
  const conflicts = error instanceof Refused ? (error.problem?.conflicts ?? []) : [];
  const places = (which: typeof free) =>
    [...new Set(draft.commands.filter(which).map(placeOf))].join(", ");
  const needs = (result?.needs ?? []).map((it) => ({ ...it, comment: false }));
  return (
    <div className={classes.panel}>
      <div className={classes.column}>
        <h2>{t("review.edits")}</h2>
        <Edits organization={organization} draft={draft} />
        {conflicts.length > 0 && (
          <Conflicts
            organization={organization}
            draft={draft}
            conflicts={conflicts}
            close={close}
            resolved={sending.reset}
          />
        )}
        {note.plan && <PlanForm organization={organization} draft={draft} plan={note.plan} />}
      </div>
      <div className={classes.column}>
        <h2>{t("review.effect")}</h2>
        {result?.effects && <Effects of={result.effects} />}
        <Warnings of={result?.warnings ?? []} />
        <Needs needs={needs} />
        <Lacking permissions={needed.lacking} />
        {needed.lacking.length > 0 && <Prepared organization={organization} draft={draft} />}
        {conflicts.length === 0 && <Wrong error={error} />}
        {(way === "request" || way === "schedule") && (
          <TextField
            label={t("review.requestTitle")}
            maxLength={256}
            placeholder={titleOf(draft, t("review.titleOf"))}
            value={note.title ?? ""}
            onChange={(event) => annotate({ title: event.target.value })}
          />
        )}
        <AreaField
          label={t("review.comment")}
          help={t("review.commentHelp")}
          maxLength={2000}
          error={
            review.wordless.length > 0
              ? t("needs.comment", { environment: review.wordless[0]?.environment ?? "" })
              : undefined
          }
          value={note.comment ?? ""}
          onChange={(event) => annotate({ comment: event.target.value })}
        />
        {mixed && needed.lacking.length === 0 && note.plan === undefined && !draft.revises && (
          <div>
            <Button
              busy={sending.busy}
              lacking={review.wordless.length > 0 ? t("review.commentFirst") : review.blocked}
              // What went wrong stands in the panel.
              onClick={() => void sending.sendBoth(free).catch(() => undefined)}
            >
              {t("review.applySome", {
                free: places(free),
                waiting: places((edit) => !free(edit)),
              })}
            </Button>
          </div>
        )}
        {overriding && needed.approvals.length > 0 && (
          <OverrideForm
            environments={needed.approvals.map((it) => it.environment)}
            sending={sending}
            lacking={review.wordless.length > 0 ? t("review.commentFirst") : review.blocked}
            close={() => setOverriding(false)}
          />
        )}
      </div>
    </div>
  );
}
