import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { TextField } from "@/components/field";
import { flagQuery } from "@/lib/api/queries";
import { type Plan, type Ramp, keyOf } from "@/lib/draft/plan";
import { useDraft } from "@/lib/draft/store";
import { labelOf, wholeFlag } from "@/lib/model/flag";
import { EditLine } from "./edit-line";
import classes from "./review.module.css";

interface Props {
  organization: string;
  plan: Plan;
  ramps: Ramp[];
  step: number;
  change: (plan: Plan) => void;
}

/** What is in a later step: rollouts raised, and edits that wait for it. */
export function StepEdits({ organization, plan, ramps, step, change }: Props) {
  const draft = useDraft();
  const raised = new Set(ramps.map((it) => it.key));
  const others = draft.commands.filter((it) => !raised.has(keyOf(it)));
  const place = (key: string, here: boolean) =>
    change({ ...plan, placed: { ...plan.placed, [key]: here ? step : 0 } });
  return (
    <>
      {ramps.map((ramp) => (
        <Raise
          key={ramp.key}
          organization={organization}
          ramp={ramp}
          share={plan.steps[step]?.shares?.[ramp.key]}
          change={(share) => {
            const known = plan.steps[step];
            const { [ramp.key]: _, ...rest } = known?.shares ?? {};
            const shares = share === undefined ? rest : { ...rest, [ramp.key]: share };
            change({ ...plan, steps: plan.steps.with(step, { at: known?.at ?? "", shares }) });
          }}
        />
      ))}
      {draft.commands.length > 1 &&
        others.map((edit) => (
          <label key={keyOf(edit)} className={classes.place}>
            <input
              type="checkbox"
              checked={(plan.placed?.[keyOf(edit)] ?? 0) === step}
              onChange={(event) => place(keyOf(edit), event.target.checked)}
            />
            <span>
              <EditLine organization={organization} edit={edit} />
            </span>
          </label>
        ))}
    </>
  );
}

interface RaiseProps {
  organization: string;
  ramp: Ramp;
  share: number | undefined;
  change: (share: number | undefined) => void;
}

function Raise({ organization, ramp, share, change }: RaiseProps) {
  const { t } = useTranslation();
  const { project, flag, environment } = ramp.edit;
  const detail = useQuery(flagQuery(organization, project, flag));
  const whole = detail.data && wholeFlag(project, detail.data);
  const variation = labelOf(whole?.flag.variations.find((it) => it.id === ramp.variation));
  return (
    <TextField
      type="number"
      min={0}
      max={100}
      step="any"
      label={t("plan.share", { variation, flag, environment })}
      value={share === undefined ? "" : String(Math.round(share * 100_000) / 1_000)}
      onChange={({ target: { value } }) =>
        change(value === "" ? undefined : Math.min(1, Math.max(0, Number(value) / 100)))
      }
    />
  );
}
