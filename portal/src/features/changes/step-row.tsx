import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Anchored } from "@/components/anchored";
import { Button } from "@/components/button";
import { DiffLine } from "@/components/diff-lines";
import type { Schemas } from "@/lib/api/client";
import { useFormat } from "@/lib/format";
import classes from "./changes.module.css";
import { StepActions } from "./step-actions";

/** So many of its lines are shown: the request has all. */
const NAMED = 3;

interface Props {
  organization: string;
  of: Schemas["ScheduledView"];
}

/** A step with its moment: what, where, whose; and how it can be moved. */
export function StepRow({ organization, of }: Props) {
  const { t } = useTranslation();
  const { moment, list } = useFormat();
  const [anchor, setAnchor] = useState<HTMLElement>();
  const { request, state } = of;
  const left = of.diffLeftOut + Math.max(0, of.diff.length - NAMED);
  const places = request.scopes.map((it) => it.split("/")[1] ?? (it || t("changes.everywhere")));
  const missing = request.needs.reduce((sum, it) => sum + it.missing, 0);
  return (
    <li className={classes.row}>
      <Link to="/$organization/changes/$id" params={{ organization, id: request.id }}>
        <span>
          <time dateTime={of.at ?? ""}>{of.at && moment(of.at)}</time>
        </span>
        <strong>{request.title}</strong>
        <span className={classes.quiet}>
          {list([...new Set(places)])} · {request.author}
          {of.of > 1 && ` · ${t("request.step", { step: of.step, of: of.of })}`}
        </span>
        {of.diff.slice(0, NAMED).map((line) => (
          <span key={line.text}>
            <DiffLine line={line} />
          </span>
        ))}
        {left > 0 && <span className={classes.quiet}>{t("revert.more", { count: left })}</span>}
        {state === "stopped" && request.stopped && (
          <span className={classes.wrong}>
            {t(`stopped.${request.stopped.code}` as "stopped.late", {
              ...request.stopped.params,
              defaultValue: request.stopped.text,
            })}
          </span>
        )}
        {state === "waiting" && missing > 0 && (
          <span className={classes.warning}>{t("request.missing", { count: missing })}</span>
        )}
      </Link>
      <span className={classes.state} data-state={state}>
        {t(`request.stepStates.${state}`)}
      </span>
      {(state === "waiting" || state === "stopped") && (
        <Button small aria-haspopup="dialog" onClick={(event) => setAnchor(event.currentTarget)}>
          {t("schedule.change")}
        </Button>
      )}
      {anchor && (
        <Anchored anchor={anchor} title={t("schedule.change")} close={() => setAnchor(undefined)}>
          <StepActions organization={organization} of={of} close={() => setAnchor(undefined)} />
        </Anchored>
      )}
    </li>
  );
}
