import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { useLacking } from "@/components/may";
import { Waiting, Wrong } from "@/components/states";
import { WhySentence } from "@/components/why-sentence";
import { WhySteps } from "@/components/why-steps";
import type { Schemas } from "@/lib/api/client";
import { useFlag } from "./use-flag";
import type { Why } from "./use-why";
import { WhyActions } from "./why-actions";
import { WhyEverywhere } from "./why-everywhere";
import { WhySince } from "./why-since";
import { WhyUser } from "./why-user";
import classes from "./why.module.css";

interface Props {
  environment: string;
  why: Why;
}

/** The sentence, what can be done about it, and the steps that led to it. */
export function WhyAnswer({ environment, why }: Props) {
  const { t } = useTranslation();
  const { organization, project, server, view } = useFlag();
  const { read } = useLacking(organization, {
    read: { action: "user.read", resource: `project/${project}:env/${environment}` },
  });
  const { now, after, at, edited, missing, version } = why;
  const shown = at === "draft" ? after : now;
  if (read !== undefined) return <p className={classes.lacking}>{read}</p>;
  if (now.isError) {
    return (
      <div className={classes.failed}>
        <Wrong error={now.error} />
        <Button small onClick={() => void now.refetch()}>
          {t("state.retry")}
        </Button>
      </div>
    );
  }
  const answer = now.data?.items[0];
  if (!now.data || !answer || !server || !view) return <Waiting rows={3} />;
  const { user } = now.data;
  const later = after.data?.items[0];
  const steps = (shown.data?.items[0] ?? answer).steps ?? [];
  const says = (of: Schemas["FlagEvaluation"], flag: typeof view.flag) => (
    <WhySentence flag={flag} environment={environment} user={user} answer={of} />
  );
  return (
    <>
      <div className={classes.sentences} aria-live="polite" aria-busy={now.isPlaceholderData}>
        <p className={classes.sentence}>{says(answer, server.flag)}</p>
        {answer.since && (
          <WhySince organization={organization} flag={server.flag} since={answer.since} />
        )}
        {edited && version === undefined && (
          <div className={classes.after}>
            <span className={classes.afterLabel}>{t("why.afterEdits")}</span>
            {missing ? (
              <p>{t("why.unfinished")}</p>
            ) : after.isError ? (
              <Wrong error={after.error} />
            ) : (
              <p>{later ? says(later, view.flag) : "…"}</p>
            )}
          </div>
        )}
      </div>
      <WhyActions environment={environment} answer={later ?? answer} user={user.key} />
      <div className={classes.columns}>
        <div>
          <h3>{t(at === "draft" ? "why.stepsAfterEdits" : "why.steps")}</h3>
          {steps.length === 0 && <p className={classes.quiet}>{t("why.noSteps")}</p>}
          <WhySteps flag={at === "draft" ? view.flag : server.flag} steps={steps} />
        </div>
        <div className={classes.beside}>
          <WhyUser
            key={user.key}
            environment={environment}
            why={why}
            user={user}
            at={now.data.at}
          />
          {version === undefined && (
            <WhyEverywhere environment={environment} user={user} why={why} />
          )}
        </div>
      </div>
    </>
  );
}
