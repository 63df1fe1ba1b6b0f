import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import type { Flag } from "@/lib/model/flag";
import { WhyCondition } from "./why-condition";
import { WhyPrerequisite } from "./why-prerequisite";
import { RuleName } from "./why-sentence";
import { WhySplit } from "./why-split";
import classes from "./why.module.css";

interface Props {
  flag: Pick<Flag, "variations">;
  steps: Schemas["Step"][];
}

const MARKS = { taken: "●", passed: "○", notReached: "–" } as const;

/** How it came to that, in order: what was asked, what the user has, and what came of it. */
export function WhySteps({ flag, steps }: Props) {
  const { t } = useTranslation();
  return (
    <ol className={classes.steps} aria-label={t("why.steps")}>
      {steps.map((step) => (
        <li
          key={`${step.kind} ${step.id ?? step.index ?? ""}`}
          className={classes.step}
          data-result={step.result}
        >
          <span className={classes.mark} aria-hidden="true">
            {MARKS[step.result]}
          </span>
          <div className={classes.what}>
            <div className={classes.line}>
              <span className={classes.title}>
                {step.kind === "rule" ? (
                  <RuleName rule={{ index: step.index ?? 0, name: step.name ?? "" }} />
                ) : (
                  t(`why.kinds.${step.kind}`, { number: (step.index ?? 0) + 1 })
                )}
              </span>
              <span className={classes.result}>{t(`why.results.${resultOf(step)}`)}</span>
            </div>
            {(step.conditions ?? []).length > 0 && (
              <ul className={classes.conditions}>
                {step.conditions?.map((condition, index) => (
                  // Conditions have no ids, and an answer never changes.
                  // oxlint-disable-next-line react/no-array-index-key
                  <WhyCondition key={index} condition={condition} />
                ))}
              </ul>
            )}
            {step.prerequisite && <WhyPrerequisite of={step.prerequisite} />}
            {step.split && <WhySplit flag={flag} split={step.split} />}
          </div>
        </li>
      ))}
    </ol>
  );
}

/** What came of a step is said by what was asked: off, or on; named, or not. */
function resultOf({ kind, result }: Schemas["Step"]) {
  return result === "notReached" ? result : (`${kind}_${result}` as const);
}
