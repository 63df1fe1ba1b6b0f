import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Anchored } from "@/components/anchored";
import { EnvironmentName } from "@/components/environment";
import { Tabs } from "@/components/tabs";
import type { Schemas } from "@/lib/api/client";
import { settingsQuery } from "@/lib/api/queries";
import { useFormat } from "@/lib/format";
import { environmentsToShow } from "@/lib/pinned";
import { useShortcuts } from "@/lib/shortcuts";
import { CompareLink } from "./compare-link";
import { EnvironmentList } from "./environment-list";
import classes from "./environment-tabs.module.css";
import { State } from "./state";
import { useFlag } from "./use-flag";

/** The environments that a member pinned as tabs, and the one that is looked at; all in a list. */
export function EnvironmentTabs({ all }: { all: Schemas["EnvironmentView"][] }) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const { organization, project, key, environment, view } = useFlag();
  const settings = useQuery(settingsQuery(organization));
  const [anchor, setAnchor] = useState<HTMLElement>();
  const navigate = useNavigate();
  const pinned = environmentsToShow(organization, project, all, settings.data);
  const shown = [...pinned, environment].flatMap((it, index, keys) =>
    keys.indexOf(it) === index ? (all.find((one) => one.key === it) ?? []) : [],
  );
  const on = all.filter((it) => view?.targetings[it.key]?.on).length;
  const params = { organization, project, flag: key };
  useShortcuts(() => [
    {
      keys: "h",
      words: t("flag.history"),
      run: () => void navigate({ to: "/$organization/$project/flags/$flag/history", params }),
    },
  ]);
  return (
    <Tabs label={t("flag.environments")}>
      {shown.map((it) => (
        <Link
          key={it.key}
          to="/$organization/$project/flags/$flag/$environment"
          params={{ ...params, environment: it.key }}
        >
          <span className={classes.tab}>
            <EnvironmentName of={it} />
            <State of={view?.targetings[it.key]} />
          </span>
        </Link>
      ))}
      {all.length > shown.length && (
        <button
          type="button"
          className={classes.all}
          aria-haspopup="dialog"
          onClick={(event) => setAnchor(event.currentTarget)}
        >
          {t("flag.onIn", { count: on, on: number(on), all: number(all.length) })}
          <span aria-hidden="true"> ▾</span>
        </button>
      )}
      <span className={classes.gap} />
      <CompareLink />
      <Link to="/$organization/$project/flags/$flag/history" params={params}>
        {t("flag.history")}
      </Link>
      {anchor && (
        <Anchored anchor={anchor} title={t("flag.environments")} close={() => setAnchor(undefined)}>
          <EnvironmentList all={all} close={() => setAnchor(undefined)} />
        </Anchored>
      )}
    </Tabs>
  );
}
