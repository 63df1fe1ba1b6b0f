import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { EditForm } from "@/components/edit-form";
import { AreaField, TextField } from "@/components/field";
import { StatementEditor } from "@/components/statement-editor";
import { type Schemas, type Tagged, api, ifMatch, taggedOf } from "@/lib/api/client";
import { policiesQuery, policyQuery } from "@/lib/api/people";
import { useEdits } from "@/lib/edits";
import { AsJson } from "./as-json";
import { Below } from "./below";
import classes from "./policies.module.css";

interface Props {
  organization: string;
  found: Tagged<Schemas["PolicyView"]>;
  lacking: string | undefined;
}

/** The name and the statements of a policy of the organization's own. */
export function EditPolicy({ organization, found, lacking }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { it: policy, tag } = found;
  const { key, name, description, statements } = policy;
  const edits = useEdits({ name, description, statements }, tag);
  const [json, setJson] = useState(false);
  const { queryKey } = policyQuery(organization, key);

  async function save() {
    const params = { path: { policy: key } };
    const body = edits.value;
    const headers = ifMatch(edits.tag);
    const answer = await api(organization).PUT("/api/v1/policies/{policy}", {
      params,
      body,
      headers,
    });
    queries.setQueryData(queryKey, taggedOf(answer));
    edits.reset();
    await queries.invalidateQueries({ queryKey: policiesQuery(organization).queryKey });
    await queries.invalidateQueries({ queryKey: ["permissions", organization] });
  }

  const { value, set } = edits;
  const edited = value.statements !== statements;
  return (
    <>
      <EditForm
        wide
        command={t("policy.save", { key })}
        saved={t("policy.saved", { key })}
        save={save}
        dirty={edits.dirty}
        reset={edits.reset}
        again={async () => {
          await queries.refetchQueries({ queryKey });
          edits.rebase();
        }}
        lacking={lacking}
      >
        <div className={classes.names}>
          <TextField
            label={t("policy.name")}
            required
            maxLength={256}
            value={value.name}
            onChange={(event) => set({ name: event.target.value })}
          />
          <AreaField
            label={t("policy.description")}
            rows={1}
            value={value.description}
            onChange={(event) => set({ description: event.target.value })}
          />
        </div>
        <section className={classes.body} aria-label={t("policy.says")}>
          <div className={classes.head}>
            <h2>{t("policy.says")}</h2>
            <Button small look="quiet" aria-pressed={json} onClick={() => setJson(!json)}>
              {t(json ? "policy.asSentences" : "policy.asJson")}
            </Button>
          </div>
          {json ? (
            <AsJson
              statements={value.statements}
              change={(statements) => set({ statements })}
              readOnly={lacking !== undefined}
            />
          ) : (
            <StatementEditor
              organization={organization}
              statements={value.statements}
              change={(statements) => set({ statements })}
            />
          )}
          <p className={classes.hint}>{t("policy.rules")}</p>
        </section>
      </EditForm>
      <Below
        organization={organization}
        policy={key}
        edited={edited ? value.statements : undefined}
      />
    </>
  );
}
