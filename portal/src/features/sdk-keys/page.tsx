import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { GraceField } from "@/components/grace-field";
import { useLacking } from "@/components/may";
import { Refused } from "@/components/refused";
import { Empty, Waiting } from "@/components/states";
import { environmentQuery, sdkKeysQuery } from "@/lib/api/environments";
import { DAY } from "@/lib/grace";
import { placeOf } from "@/lib/place";
import { useTitle } from "@/lib/title";
import { CreateKey } from "./create";
import { isOver } from "./grace";
import { KeyTable } from "./table";
import classes from "./sdk-keys.module.css";

/** The SDK keys of an environment: what programs are configured with. */
export function SdkKeysPage() {
  const { t } = useTranslation();
  const place = useParams({ from: "/$organization/$project/settings/environments/$environment" });
  const { organization, project, environment } = place;
  useTitle(t("sdkKeys.title"), environment);
  const keys = useQuery(sdkKeysQuery(place));
  const found = useQuery(environmentQuery(place));
  const [grace, setGrace] = useState(DAY);
  const [creating, setCreating] = useState(false);
  const [past, setPast] = useState(false);
  const resource = placeOf(project, found.data?.it ?? { key: environment, protected: false });
  const lacking = useLacking(organization, {
    write: { action: "sdkKey.write", resource },
    reveal: { action: "sdkKey.reveal", resource },
  });
  if (keys.isError) {
    const needs = { action: "sdkKey.read", resource };
    return <Refused error={keys.error} retry={() => void keys.refetch()} needs={needs} />;
  }
  if (!keys.data) return <Waiting rows={5} />;
  const valid = keys.data.filter((it) => !isOver(it));
  const over = keys.data.filter(isOver);
  return (
    <>
      <p className={classes.help}>{t("sdkKeys.help")}</p>
      <div className={classes.bar}>
        <GraceField label={t("sdkKeys.grace")} grace={grace} change={setGrace} />
        <Button lacking={lacking.write} onClick={() => setCreating(true)}>
          {t("sdkKeys.new")}
        </Button>
      </div>
      {valid.length === 0 ? (
        <Empty title={t("sdkKeys.none")}>
          <p>{t("sdkKeys.noneHelp")}</p>
        </Empty>
      ) : (
        <KeyTable place={place} keys={valid} grace={grace} lacking={lacking} />
      )}
      {over.length > 0 && (
        <div className={classes.past}>
          <Button small look="quiet" aria-expanded={past} onClick={() => setPast(!past)}>
            {t(past ? "sdkKeys.hidePast" : "sdkKeys.showPast", { count: over.length })}
          </Button>
          {past && <KeyTable place={place} keys={over} grace={grace} lacking={lacking} />}
        </div>
      )}
      {creating && <CreateKey place={place} close={() => setCreating(false)} />}
    </>
  );
}
