import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { AreaField, TextField } from "@/components/field";
import { Wrong } from "@/components/states";
import type { Schemas } from "@/lib/api/client";
import { meQuery } from "@/lib/api/queries";
import { type Act, useActs } from "./acts";
import classes from "./changes.module.css";
import { EditRequest } from "./edit-request";

interface Props {
  organization: string;
  request: Schemas["RequestDetail"];
}

/** What can be done with a request now: the next thing first. */
export function RequestActions({ organization, request }: Props) {
  const { t } = useTranslation();
  const me = useQuery(meQuery);
  const [text, setText] = useState("");
  const [reason, setReason] = useState<string>();
  const act = useActs(organization, request);
  const { state } = request;
  const open = state === "waiting" || state === "approved" || state === "declined";
  const own = request.revisions.some((it) => it.author === me.data?.email);
  const conflicts = (request.now?.conflicts.length ?? 0) > 0;
  // Mine is the last word that is missing, and no moment is waited for.
  const last =
    request.awaitsYou &&
    !conflicts &&
    request.now?.refused == null &&
    request.dueAt == null &&
    request.needs.every((it) => it.missing <= 1 && it.declinedBy.length === 0);
  const run = (it: Act) => act.mutate(it, { onSuccess: () => setText("") });
  const button = (name: string, it: Act, look?: "primary" | "danger" | "quiet") => (
    <Button key={name} {...(look ? { look } : {})} busy={act.isPending} onClick={() => run(it)}>
      {name}
    </Button>
  );
  const approves = open && !own && state !== "approved";
  const overrides = open && request.needs.some((it) => it.missing > 0) && !conflicts;
  return (
    <section className={classes.part} aria-label={t("request.actions")} data-screen-only>
      <AreaField
        label={t("request.text")}
        value={text}
        maxLength={2000}
        onChange={(event) => setText(event.target.value)}
      />
      <Wrong error={act.error} />
      {own && open && state !== "approved" && (
        <p className={classes.quiet}>{t("request.ownWaits")}</p>
      )}
      <div className={classes.buttons}>
        {approves &&
          last &&
          button(
            t("request.approveAndApply"),
            { kind: "approve", text, thenApply: true },
            "primary",
          )}
        {approves &&
          button(t("request.approve"), { kind: "approve", text }, last ? undefined : "primary")}
        {open &&
          !own &&
          state !== "declined" &&
          button(t("request.decline"), { kind: "decline", text })}
        {state === "approved" &&
          !conflicts &&
          button(
            t(request.dueAt ? "request.applyNow" : "request.apply"),
            { kind: "apply" },
            request.dueAt ? undefined : "primary",
          )}
        {(conflicts || state === "stopped") && button(t("request.rebase"), { kind: "rebase" })}
        <Button
          busy={act.isPending}
          lacking={text.trim() === "" ? t("request.noText") : undefined}
          onClick={() => run({ kind: "comment", text })}
        >
          {t("request.comment")}
        </Button>
        {(open || state === "stopped") && (
          <EditRequest organization={organization} request={request} />
        )}
        {(own && open) || (own && state === "stopped")
          ? button(t("request.withdraw"), { kind: "withdraw" }, "quiet")
          : null}
        {overrides && reason === undefined && (
          <Button look="danger" onClick={() => setReason("")}>
            {t("request.override")}
          </Button>
        )}
      </div>
      {overrides && reason !== undefined && (
        <form
          className={classes.override}
          onSubmit={(event) => {
            event.preventDefault();
            if (reason.trim() !== "") run({ kind: "apply", override: reason });
          }}
        >
          <TextField
            label={t("quick.reason")}
            required
            autoFocus
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
          <Button type="submit" look="danger" busy={act.isPending}>
            {t("request.overrideApply")}
          </Button>
          <Button look="quiet" onClick={() => setReason(undefined)}>
            {t("action.cancel")}
          </Button>
        </form>
      )}
    </section>
  );
}
