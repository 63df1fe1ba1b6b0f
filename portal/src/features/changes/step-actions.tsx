import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { MomentField } from "@/components/moment-field";
import { Wrong } from "@/components/states";
import type { Schemas } from "@/lib/api/client";
import { localOf, momentOfLocal } from "@/lib/moments";
import { type Act, useActs } from "./acts";
import classes from "./changes.module.css";

interface Props {
  organization: string;
  of: Schemas["ScheduledView"];
  close: () => void;
}

/** Another moment, without this step, or not at all. Each is a new revision. */
export function StepActions({ organization, of, close }: Props) {
  const { t } = useTranslation();
  const { request, step } = of;
  const act = useActs(organization, request);
  const [typed, setTyped] = useState(of.at ? localOf(new Date(of.at)) : "");
  const at = momentOfLocal(typed);
  const waiting = request.steps.filter((it) => it.state === "waiting" || it.state === "stopped");
  const run = (it: Act) => act.mutate(it, { onSuccess: close });
  // Those before it stay; whatever came after it keeps its distance.
  const shift = at && of.at ? at.getTime() - Date.parse(of.at) : 0;
  const moved = waiting.map((it) => {
    const before = Date.parse(it.at ?? of.at ?? "");
    return new Date(it.step < step ? before : before + shift).toISOString();
  });
  const approvals = request.needs.some((it) => it.approvals > 0);
  return (
    <form
      className={classes.actions}
      onSubmit={(event) => {
        event.preventDefault();
        if (at) run({ kind: "reschedule", at: moved });
      }}
    >
      <MomentField label={t("schedule.moment")} value={typed} change={setTyped} />
      {waiting.some((it) => it.step > step) && (
        <p className={classes.quiet}>{t("schedule.laterMove")}</p>
      )}
      {approvals && <p className={classes.quiet}>{t("schedule.anew")}</p>}
      <Wrong error={act.error} />
      <div className={classes.buttons}>
        <Button
          type="submit"
          look="primary"
          busy={act.isPending}
          lacking={at ? undefined : t("schedule.noMoment")}
        >
          {t("schedule.reschedule")}
        </Button>
        {waiting.length > 1 && (
          <Button busy={act.isPending} onClick={() => run({ kind: "leaveOut", step })}>
            {t("schedule.leaveOut")}
          </Button>
        )}
        <Button look="danger" busy={act.isPending} onClick={() => run({ kind: "withdraw" })}>
          {t("schedule.withdraw")}
        </Button>
      </div>
    </form>
  );
}
