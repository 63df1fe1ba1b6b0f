import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { TextField } from "@/components/field";
import { asks, tryOut } from "@/lib/changes";
import { EMPTY, environmentsOf } from "@/lib/draft/draft";
import { annotate, changeDraft, undo } from "@/lib/draft/store";
import { useFormat } from "@/lib/format";
import { keysShown } from "@/lib/keyboard";
import { toast } from "@/lib/toasts";
import { Panel } from "./panel";
import classes from "./review.module.css";
import { useSend } from "./send";
import { Summary } from "./summary";
import { useFloor } from "./use-floor";
import { useReview } from "./use-review";
import { Ways } from "./ways";

/** What is not applied yet: how much, where, what it takes, and the way to do it. */
export function ReviewBar({ organization }: { organization: string }) {
  const { t } = useTranslation();
  const { list } = useFormat();
  const queries = useQueryClient();
  const [open, setOpen] = useState(false);
  const [overriding, setOverriding] = useState(false);
  const sending = useSend(organization, () => setOpen(true));
  const review = useReview(organization, sending.busy);
  const { draft, blocked, way, needed, wordless } = review;

  const environments = environmentsOf(draft.commands);
  const waits = needed.approvals.length > 0;
  const words =
    way === "revise"
      ? t("review.sendRevision", { revision: (draft.revises?.revision ?? 0) + 1 })
      : way === "schedule"
        ? t(waits ? "review.requestSchedule" : "review.schedule")
        : way === "request"
          ? t("review.request")
          : environments.length > 0
            ? t("review.applyTo", { environments: environments.join(", ") })
            : t("review.apply");

  // What it would do may not be known yet: a press waits for it, and is not lost.
  const going = useMutation({
    mutationFn: async () => asks(await queries.fetchQuery(tryOut(organization, review.edits))),
    onSuccess: ({ lacking, comment, approvals }) => {
      const silent = comment.length > 0 && !draft.note?.comment?.trim();
      // The field that asks for it is there by then.
      if (lacking.length > 0 || silent) return;
      sending.send(way === "apply" && approvals.length > 0 ? "request" : way);
    },
    // Refused, or a conflict: the panel says which.
    onError: () => setOpen(true),
  });
  const go = () => {
    if (review.conflict) setOpen(true);
    else if (!blocked) going.mutate();
  };
  function discard() {
    changeDraft(() => EMPTY);
    const again = () => changeDraft((now) => (now.commands.length === 0 ? draft : now));
    toast(t("review.discarded"), { label: t("action.undo"), run: again });
  }
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (!(event.metaKey || event.ctrlKey) || event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    go();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => press(event);
    addEventListener("keydown", listener);
    return () => removeEventListener("keydown", listener);
  }, []);

  const floor = useFloor();
  return (
    <section ref={floor} className={classes.review} aria-label={t("review.title")}>
      {open && (
        <Panel
          organization={organization}
          review={review}
          sending={sending}
          overriding={overriding}
          setOverriding={setOverriding}
          close={() => setOpen(false)}
        />
      )}
      {!open && (needed.comment.length > 0 || way === "request") && !blocked && (
        <form
          className={classes.inline}
          onSubmit={(event) => {
            event.preventDefault();
            go();
          }}
        >
          <TextField
            label={
              needed.comment.length > 0
                ? t("review.commentFor", {
                    environments: list(needed.comment.map((it) => it.environment)),
                  })
                : t("review.forReviewers")
            }
            value={draft.note?.comment ?? ""}
            onChange={(event) => annotate({ comment: event.target.value })}
          />
        </form>
      )}
      <div className={classes.bar}>
        <Summary review={review} failed={sending.error !== null && !open} />
        <Button small look="quiet" title={keysShown("Mod+Z")} onClick={() => undo()}>
          {t("action.undo")}
        </Button>
        <Button small look="quiet" onClick={discard}>
          {t("review.discard")}
        </Button>
        <Button aria-expanded={open} onClick={() => setOpen(!open)}>
          {t(open ? "review.less" : "review.review")}
        </Button>
        <span className={classes.split}>
          <Button
            look="primary"
            title={keysShown("Mod+Enter")}
            busy={sending.busy || going.isPending}
            lacking={blocked ?? (wordless.length > 0 ? t("review.commentFirst") : undefined)}
            onClick={go}
          >
            {sending.busy ? t("quick.applying") : review.conflict ? t("review.resolve") : words}
          </Button>
          <Ways
            review={review}
            sending={sending}
            show={() => setOpen(true)}
            override={() => {
              setOverriding(true);
              setOpen(true);
            }}
          />
        </span>
      </div>
    </section>
  );
}
