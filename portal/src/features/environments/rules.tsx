import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { EditForm } from "@/components/edit-form";
import { TextField } from "@/components/field";
import { useLacking } from "@/components/may";
import { Failure, Waiting } from "@/components/states";
import { rulesWords } from "@/lib/acts";
import { type Place, environmentQuery, rulesQuery, saveRules } from "@/lib/api/environments";
import type { Schemas, Tagged } from "@/lib/api/client";
import { useEdits } from "@/lib/edits";
import { useFormat } from "@/lib/format";
import { placeOf } from "@/lib/place";
import { useTitle } from "@/lib/title";
import classes from "./environments.module.css";
import { Reviewers } from "./reviewers";
import { type Fields, fieldsOf, loosens, rulesOf } from "./rules-form";

/** What an environment asks of each change there. */
export function RulesPage() {
  const { t } = useTranslation();
  const place = useParams({ from: "/$organization/$project/settings/environments/$environment" });
  useTitle(t("environments.rules"), place.environment);
  const rules = useQuery(rulesQuery(place));
  const environment = useQuery(environmentQuery(place));
  if (rules.isError) return <Failure error={rules.error} retry={() => void rules.refetch()} />;
  if (!rules.data || !environment.data) return <Waiting rows={4} />;
  return <Form place={place} found={rules.data} environment={environment.data.it} />;
}

interface Props {
  place: Place;
  found: Tagged<Schemas["EnvironmentRules"]>;
  environment: Schemas["EnvironmentView"];
}

function Form({ place, found, environment }: Props) {
  const { t } = useTranslation();
  const { list } = useFormat();
  const queries = useQueryClient();
  const { queryKey } = rulesQuery(place);
  const edits = useEdits<Fields>(fieldsOf(found.it));
  const { value, set } = edits;
  const resource = placeOf(place.project, environment);
  const lacking = useLacking(place.organization, {
    set: { action: "environment.setRules", resource },
    loosen: { action: "environment.loosenRules", resource },
    override: { action: "change.override", resource },
  });
  const rules = rulesOf(value);
  const required = rules.approvals?.required ?? 0;
  async function save() {
    queries.setQueryData(queryKey, await saveRules(place, rules, found.tag));
    edits.reset();
    // What waits in the review bar may need something else now.
    await queries.invalidateQueries({ queryKey: ["review", place.organization] });
  }
  return (
    <EditForm
      command={t("environments.saveRules", { key: environment.key })}
      saved={t("environments.savedRules", { key: environment.key })}
      save={save}
      dirty={edits.dirty}
      reset={edits.reset}
      again={() => queries.refetchQueries({ queryKey })}
      lacking={lacking.set ?? (loosens(found.it, rules) ? lacking.loosen : undefined)}
    >
      <p className={classes.quiet}>{t("environments.rulesHelp")}</p>
      <label className={classes.check}>
        <input
          type="checkbox"
          checked={value.comment}
          onChange={(event) => set({ comment: event.target.checked })}
        />
        <span>
          {t("environments.comment")}
          <small>{t("environments.commentHelp")}</small>
        </span>
      </label>
      <TextField
        label={t("environments.approvals")}
        help={t("environments.approvalsHelp")}
        type="number"
        min={0}
        max={10}
        required
        value={value.required}
        onChange={(event) => set({ required: event.target.value })}
      />
      {required > 0 && (
        <>
          <Reviewers organization={place.organization} value={value} set={set} />
          <label className={classes.check}>
            <input
              type="checkbox"
              checked={value.turnOff}
              onChange={(event) => set({ turnOff: event.target.checked })}
            />
            <span>
              {t("environments.exempt")}
              <small>{t("environments.exemptHelp")}</small>
            </span>
          </label>
          <p className={classes.quiet}>
            {t("environments.override", { environment: environment.key })}{" "}
            {t(lacking.override === undefined ? "environments.youMay" : "environments.youMayNot")}
          </p>
        </>
      )}
      <p className={classes.sentence} role="status">
        {t("environments.asks", {
          environment: environment.key,
          what: list(rulesWords(t, list, rules)),
        })}
      </p>
    </EditForm>
  );
}
