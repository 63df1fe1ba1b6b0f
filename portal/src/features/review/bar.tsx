import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Refused } from "@/lib/api/client";
import { asks, tryOut } from "@/lib/changes";
import { EMPTY, counts, environmentsOf } from "@/lib/draft/draft";
import { incomplete } from "@/lib/draft/incomplete";
import { changeDraft, undo, useDraft } from "@/lib/draft/store";
import { useSettled } from "@/lib/settled";
import { toast } from "@/lib/toasts";
import { Panel } from "./panel";
import classes from "./review.module.css";
import { useSend } from "./send";

/** What is not applied yet: how much, where, what it takes, and the way to do it. */
export function ReviewBar({ organization }: { organization: string }) {
  const { t } = useTranslation();
  const draft = useDraft();
  const queries = useQueryClient();
  const [open, setOpen] = useState(false);
  const [comment, setComment] = useState("");
  // What is still being typed is not tried out at every key.
  const settled = useSettled(draft);
  const unfinished = incomplete(draft);
  const trial = useQuery({
    ...tryOut(organization, settled),
    ...(incomplete(settled) ? { enabled: false } : {}),
  });
  const current = settled === draft ? trial : undefined;
  const needed = asks(current?.data);
  const conflict = current?.error instanceof Refused && current.error.status === 412;
  const { send, request, busy, error } = useSend(organization, comment, {
    sent: () => setComment(""),
    refused: () => setOpen(true),
  });

  const waits = needed.approvals.length > 0;
  const missing = needed.lacking[0];
  const places = counts(draft).map(([scope, changes]) => {
    const [project, environment] = scope.split("/");
    const approvals = needed.approvals.find((it) => it.environment === environment)?.missing;
    const name = environment ?? t(project === "" ? "review.organization" : "review.everywhere");
    return approvals
      ? t("review.placeNeeds", { name, changes, count: approvals })
      : t("review.place", { name, changes });
  });
  const environments = environmentsOf(draft.commands);
  const words = waits
    ? t("review.request")
    : environments.length > 0
      ? t("review.applyTo", { environments: environments.join(", ") })
      : t("review.apply");
  const blocked =
    (unfinished && t(`review.incomplete.${unfinished}`)) ||
    (missing && t("needs.permission", missing)) ||
    undefined;

  // What it would do may not be known yet: a press waits for it, and is not lost.
  const going = useMutation({
    mutationFn: async () => asks(await queries.fetchQuery(tryOut(organization, draft))),
    onSuccess: ({ lacking, comment: asking, approvals }) => {
      if (lacking.length > 0) setOpen(true);
      else if (asking.length > 0 && comment.trim() === "") setOpen(true);
      else (approvals.length > 0 ? request : send)();
    },
    // Refused, or a conflict: the panel says which.
    onError: () => setOpen(true),
  });
  const go = () => {
    if (!blocked) going.mutate();
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

  return (
    <section className={classes.review} aria-label={t("review.title")}>
      {open && (
        <Panel
          organization={organization}
          draft={draft}
          result={current?.data}
          error={error ?? current?.error}
          comment={comment}
          setComment={setComment}
          close={() => setOpen(false)}
          send={send}
          request={request}
        />
      )}
      <div className={classes.bar}>
        <span className={classes.summary}>
          <strong>{t("review.changes", { count: draft.commands.length })}</strong>
          <span>{places.join(" · ")}</span>
          {blocked && <span className={classes.blocked}>{blocked}</span>}
          {error !== null && !open && (
            <span className={classes.wrong}>{t("review.notApplied")}</span>
          )}
        </span>
        <Button small look="quiet" title="⌘Z" onClick={() => undo()}>
          {t("action.undo")}
        </Button>
        <Button small look="quiet" onClick={discard}>
          {t("review.discard")}
        </Button>
        <Button aria-expanded={open} onClick={() => setOpen(!open)}>
          {t(open ? "review.less" : "review.review")}
        </Button>
        <Button
          look="primary"
          title="⌘↵"
          busy={busy || going.isPending}
          lacking={blocked}
          onClick={go}
        >
          {busy ? t("quick.applying") : conflict ? t("review.resolve") : words}
        </Button>
      </div>
    </section>
  );
}
