import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ConfirmName } from "@/components/confirm-name";
import { EditForm } from "@/components/edit-form";
import { AreaField, TextField } from "@/components/field";
import { useLacking } from "@/components/may";
import type { Schemas, Tagged } from "@/lib/api/client";
import {
  type Place,
  deleteEnvironment,
  environmentQuery,
  saveEnvironment,
} from "@/lib/api/environments";
import { environmentsQuery } from "@/lib/api/queries";
import { useEdits } from "@/lib/edits";
import { placeOf } from "@/lib/place";
import { useTitle } from "@/lib/title";
import { Colour } from "./colour";
import classes from "./environments.module.css";

/** What an environment is called and looks like, and its end. */
export function EnvironmentGeneral() {
  const { t } = useTranslation();
  const place = useParams({ from: "/$organization/$project/settings/environments/$environment" });
  useTitle(place.environment, t("environments.title"));
  const found = useQuery(environmentQuery(place));
  // The frame says what else there is to say.
  if (!found.data) return null;
  return (
    <div className={classes.parts}>
      <Form place={place} found={found.data} />
      <Deletion place={place} environment={found.data.it} />
    </div>
  );
}

interface Props {
  place: Place;
  found: Tagged<Schemas["EnvironmentView"]>;
}

function Form({ place, found: { it, tag } }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { name, description, colour, protected: mark } = it;
  const edits = useEdits({ name, description, colour, protected: mark });
  const { value, set } = edits;
  const resource = placeOf(place.project, it);
  const lacking = useLacking(place.organization, {
    save: { action: "environment.update", resource },
    unprotect: { action: "environment.unprotect", resource },
  });
  const bared = mark && !value.protected;
  async function save() {
    const saved = await saveEnvironment(place, value, tag);
    queries.setQueryData(environmentQuery(place).queryKey, saved);
    edits.reset();
    await queries.invalidateQueries(environmentsQuery(place.organization, place.project));
  }
  return (
    <EditForm
      command={t("environments.save", { key: it.key })}
      saved={t("environments.saved", { key: it.key })}
      save={save}
      dirty={edits.dirty}
      reset={edits.reset}
      again={() => queries.refetchQueries(environmentQuery(place))}
      lacking={lacking.save ?? (bared ? lacking.unprotect : undefined)}
    >
      <TextField
        label={t("environments.name")}
        required
        maxLength={256}
        value={value.name}
        onChange={(event) => set({ name: event.target.value })}
      />
      <AreaField
        label={t("environments.description")}
        value={value.description}
        onChange={(event) => set({ description: event.target.value })}
      />
      <Colour
        name={it.key}
        value={value.colour}
        filled={value.protected}
        change={(colour) => set({ colour })}
      />
      <label className={classes.check}>
        <input
          type="checkbox"
          checked={value.protected}
          onChange={(event) => set({ protected: event.target.checked })}
        />
        <span>
          {t("environments.protected")}
          <small>{t("environments.protectedHelp")}</small>
        </span>
      </label>
    </EditForm>
  );
}

function Deletion({
  place,
  environment,
}: {
  place: Place;
  environment: Schemas["EnvironmentView"];
}) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [asked, setAsked] = useState(false);
  const { key } = environment;
  const lacking = useLacking(place.organization, {
    delete: {
      action: "environment.delete",
      resource: placeOf(place.project, environment),
    },
  });
  const why = environment.protected ? t("environments.protectedStays") : undefined;
  const command = t("environments.delete", { key });
  async function run() {
    await deleteEnvironment(place);
    const { organization, project } = place;
    await navigate({
      to: "/$organization/$project/settings/environments",
      params: { organization, project },
    });
    queries.removeQueries({ queryKey: environmentQuery(place).queryKey });
    await queries.invalidateQueries(environmentsQuery(organization, project));
  }
  return (
    <section className={classes.deletion}>
      <h2>{t("environments.deleteTitle")}</h2>
      <p>{t("environments.deleteHelp")}</p>
      <div>
        <Button look="danger" lacking={lacking.delete ?? why} onClick={() => setAsked(true)}>
          {command}
        </Button>
      </div>
      {why && <p>{why}</p>}
      {asked && (
        <ConfirmName name={key} command={command} run={run} close={() => setAsked(false)}>
          <p>{t("environments.deleteHelp")}</p>
        </ConfirmName>
      )}
    </section>
  );
}
