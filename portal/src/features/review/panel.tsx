import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Effects } from "@/components/effects";
import { AreaField } from "@/components/field";
import { Lacking, Needs } from "@/components/needs";
import { Wrong } from "@/components/states";
import { Warnings } from "@/components/warnings";
import { Refused } from "@/lib/api/client";
import { type Result, asks } from "@/lib/changes";
import type { Draft } from "@/lib/draft/draft";
import { type Edit, environmentOf, placeOf, scopeOf } from "@/lib/draft/edit";
import { Conflicts } from "./conflicts";
import { Edits } from "./edits";
import classes from "./review.module.css";

interface Props {
  organization: string;
  draft: Draft;
  result: Result | undefined;
  error: unknown;
  comment: string;
  setComment: (text: string) => void;
  close: () => void;
  /** Applies, or asks for, those edits that are meant. */
  send: (which: (edit: Edit) => boolean) => void;
  request: (which: (edit: Edit) => boolean) => void;
}

/** Each edit as a sentence, what they would do together, and what they take. */
export function Panel(props: Props) {
  const { organization, draft, result, error, comment, setComment, close, send, request } = props;
  const { t } = useTranslation();
  const conflicts = error instanceof Refused ? (error.problem?.conflicts ?? []) : [];
  const { approvals, lacking } = asks(result);
  const asking = new Set(approvals.map((it) => `${it.project}/${it.environment}`));
  // What is everywhere may be served where approval is asked for: it waits too.
  const free = (edit: Edit) => environmentOf(edit) !== undefined && !asking.has(scopeOf(edit));
  const mixed = approvals.length > 0 && draft.commands.some(free);
  const places = (which: (edit: Edit) => boolean) =>
    [...new Set(draft.commands.filter(which).map(placeOf))].join(", ");
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
          />
        )}
      </div>
      <div className={classes.column}>
        <h2>{t("review.effect")}</h2>
        {result?.effects && <Effects of={result.effects} />}
        <Warnings of={result?.warnings ?? []} />
        <Needs needs={result?.needs ?? []} />
        <Lacking permissions={lacking} />
        {conflicts.length === 0 && <Wrong error={error} />}
        <AreaField
          label={t("review.comment")}
          help={t("review.commentHelp")}
          value={comment}
          onChange={(event) => setComment(event.target.value)}
        />
        {mixed && lacking.length === 0 && (
          <div>
            <Button
              onClick={() => {
                request((edit) => !free(edit));
                send(free);
              }}
            >
              {t("review.applySome", {
                free: places(free),
                waiting: places((edit) => !free(edit)),
              })}
            </Button>
          </div>
        )}
      </div>
    </div>
  );
}
