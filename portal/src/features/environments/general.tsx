import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { EditForm } from "@/components/edit-form";
import { AreaField, TextField } from "@/components/field";
import { useLacking } from "@/components/may";
import type { Schemas, Tagged } from "@/lib/api/client";
import { type Place, environmentQuery, saveEnvironment } from "@/lib/api/environments";
import { environmentsQuery } from "@/lib/api/queries";
import { useEdits } from "@/lib/edits";
import { placeOf } from "@/lib/place";
import { useTitle } from "@/lib/title";
import { Colour } from "./colour";
import { Deletion } from "./deletion";
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
  const logged = percentOf(it.decisionLog.sample);
  const edits = useEdits({ name, description, colour, protected: mark, logged });
  const { value, set } = edits;
  const resource = placeOf(place.project, it);
  const lacking = useLacking(place.organization, {
    save: { action: "environment.update", resource },
    unprotect: { action: "environment.unprotect", resource },
  });
  const bared = mark && !value.protected;
  async function save() {
    const { logged: percent, ...rest } = value;
    // Rounded in the other system, it would be another number than the one that is there.
    const log = percent === logged ? {} : { decisionLog: { sample: sampleOf(percent) } };
    const saved = await saveEnvironment(place, { ...rest, ...log }, tag);
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
      <TextField
        type="number"
        label={t("environments.logged")}
        help={
          <>
            {t("environments.loggedHelp")}{" "}
            <Link to="/$organization/$project/decisions/$environment" params={place}>
              {t("environments.seeLogged")}
            </Link>
          </>
        }
        required
        min={0}
        max={100}
        step="any"
        value={value.logged}
        onChange={(event) => set({ logged: event.target.value })}
      />
    </EditForm>
  );
}

/** A share is a number of millionths, and a percentage one of ten-thousandths. */
const percentOf = (sample: number) => String(Math.round(sample * 1e6) / 1e4);
const sampleOf = (percent: string) => Math.round(Number(percent) * 1e4) / 1e6;
