import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ConfirmName } from "@/components/confirm-name";
import { useLacking } from "@/components/may";
import type { Schemas } from "@/lib/api/client";
import { type Place, deleteEnvironment, environmentQuery } from "@/lib/api/environments";
import { environmentsQuery } from "@/lib/api/queries";
import { placeOf } from "@/lib/place";
import classes from "./environments.module.css";

/** The end of an environment. */
export function Deletion({
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
