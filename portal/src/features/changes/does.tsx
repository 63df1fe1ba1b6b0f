import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { DiffLines } from "@/components/diff-lines";
import { Effects } from "@/components/effects";
import { ItemChanges } from "@/components/item-changes";
import { Warnings } from "@/components/warnings";
import type { Schemas } from "@/lib/api/client";
import { tryOut } from "@/lib/changes";
import { editsOf } from "@/lib/draft/edit";
import { useFormat } from "@/lib/format";
import classes from "./changes.module.css";

interface Props {
  organization: string;
  request: Schemas["RequestDetail"];
}

/** What a request does: in sentences, to whom, and as it stands in the API. */
export function Does({ organization, request }: Props) {
  const { t } = useTranslation();
  const { now } = request;
  const open = now != null;
  const waiting = request.steps.filter((it) => it.state === "waiting" || it.state === "stopped");
  const commands = open ? editsOf(waiting.flatMap((it) => it.commands)) : [];
  // Against what is there now: what it was written on may have moved since.
  const trial = useQuery(tryOut(organization, { base: {}, commands }));
  const texts = (lines: Schemas["DiffLine"][]) => lines.map((it) => it.text).join("\n");
  const differs = now && now.refused == null && texts(now.diff) !== texts(request.diff);
  return (
    <section className={classes.part} aria-label={t("request.does")}>
      <h2>{t("request.does")}</h2>
      {request.steps.length > 1 || request.steps.some((it) => it.at) ? (
        <Steps organization={organization} steps={request.steps} />
      ) : (
        <DiffLines lines={request.diff} />
      )}
      {differs && request.steps.length === 1 && (
        <>
          <p className={classes.warning}>{t("request.differsNow")}</p>
          <DiffLines lines={now.diff} />
        </>
      )}
      {now?.refused && (
        <p className={classes.warning}>{t("request.refused", { why: now.refused.detail })}</p>
      )}
      {trial.data?.effects && (
        <>
          <h3>{t("request.effect")}</h3>
          <Effects of={trial.data.effects} />
        </>
      )}
      <Warnings of={now?.warnings ?? []} />
      {trial.data && trial.data.changes.length > 0 && (
        <details className={classes.details}>
          <summary>{t("request.beforeAfter")}</summary>
          <ItemChanges of={trial.data.changes} leftOut={trial.data.changesLeftOut} />
        </details>
      )}
    </section>
  );
}

function Steps({ organization, steps }: { organization: string; steps: Schemas["StepDetail"][] }) {
  const { t } = useTranslation();
  const { moment } = useFormat();
  return (
    <ol className={classes.steps}>
      {steps.map(({ step, at, state, diff, changeSet }) => (
        <li key={step} data-state={state}>
          <p className={classes.stepHead}>
            <strong>{t("request.step", { step, of: steps.length })}</strong>
            <span>{at ? moment(at) : t("request.byHand")}</span>
            <span className={classes.quiet}>{t(`request.stepStates.${state}`)}</span>
            {changeSet && (
              <Link to="/$organization/changes/$id" params={{ organization, id: changeSet }}>
                {t("changes.change")}
              </Link>
            )}
          </p>
          <DiffLines lines={diff} />
        </li>
      ))}
    </ol>
  );
}
