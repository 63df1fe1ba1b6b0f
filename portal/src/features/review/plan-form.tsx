import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { MomentField } from "@/components/moment-field";
import type { Draft } from "@/lib/draft/draft";
import {
  MOST_STEPS,
  type Plan,
  flawOf,
  keyOf,
  rampsOf,
  stepsOf,
  withStep,
  withoutStep,
} from "@/lib/draft/plan";
import { annotate } from "@/lib/draft/store";
import { useFormat } from "@/lib/format";
import { PRESETS, localOf, presetAt } from "@/lib/moments";
import { useNow } from "@/lib/now";
import { EditLine } from "./edit-line";
import classes from "./review.module.css";
import { StepEdits } from "./step-edits";

interface Props {
  organization: string;
  draft: Draft;
  plan: Plan;
}

/** When the edits are applied: at a moment, or a step at a time. */
export function PlanForm({ organization, draft, plan }: Props) {
  const { t } = useTranslation();
  const { moment } = useFormat();
  const now = useNow();
  const ramps = rampsOf(draft.commands);
  const flaw = flawOf(draft, plan, now);
  const change = (next: Plan) => annotate({ plan: next });
  const at = (index: number, value: string) =>
    change({ ...plan, steps: plan.steps.with(index, { ...plan.steps[index], at: value }) });
  const all = PRESETS.map((it) => [it, localOf(presetAt(it, new Date(now)))] as const);
  // On a Sunday, Monday is tomorrow.
  const presets = all.filter(([, at], index) => all.findIndex((it) => it[1] === at) === index);
  const first = plan.steps[0]?.at ?? "";
  const grows = ramps.length > 0 || draft.commands.length > 1;
  const steps = stepsOf(draft, plan);
  return (
    <section className={classes.plan} aria-label={t("plan.title")}>
      <h2>{t("plan.title")}</h2>
      <div className={classes.buttons} role="group" aria-label={t("plan.presets")}>
        {presets.map(([preset, value]) => {
          return (
            <Button
              key={preset}
              small
              aria-pressed={first === value}
              title={moment(presetAt(preset, new Date(now)).toISOString())}
              onClick={() => at(0, value)}
            >
              {t(`plan.preset.${preset}`)}
            </Button>
          );
        })}
      </div>
      <ol className={classes.steps}>
        {plan.steps.map((step, index) => (
          // A step is what stands in this place.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={index}>
            <MomentField
              label={plan.steps.length > 1 ? t("plan.step", { step: index + 1 }) : t("plan.when")}
              value={step.at}
              change={(value) => at(index, value)}
              error={
                flaw?.step === index ? t(`plan.flaws.${flaw.flaw}`, { step: index + 1 }) : undefined
              }
            />
            {index > 0 && (
              <>
                <StepEdits
                  organization={organization}
                  plan={plan}
                  ramps={ramps}
                  step={index}
                  change={change}
                />
                <Button small look="quiet" onClick={() => change(withoutStep(plan, index))}>
                  {t("plan.remove", { step: index + 1 })}
                </Button>
              </>
            )}
            {plan.steps.length > 1 && (
              <ul className={classes.inStep}>
                {steps[index]?.commands.map((edit) => (
                  <li key={keyOf(edit as Draft["commands"][number])}>
                    <EditLine
                      organization={organization}
                      edit={edit as Draft["commands"][number]}
                    />
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ol>
      <div className={classes.buttons}>
        {grows && plan.steps.length < MOST_STEPS && (
          <Button small onClick={() => change(withStep(plan, ramps))}>
            {t("plan.add")}
          </Button>
        )}
        <Button small look="quiet" onClick={() => annotate({ plan: undefined })}>
          {t("plan.not")}
        </Button>
      </div>
    </section>
  );
}
