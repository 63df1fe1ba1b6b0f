import { useQuery } from "@tanstack/react-query";
import { Link, Navigate, Outlet } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Failure, Waiting } from "@/components/states";
import { useHere } from "@/components/use-here";
import { settingsQuery } from "@/lib/api/queries";
import { environmentsToShow } from "@/lib/pinned";
import { useTitle } from "@/lib/title";
import classes from "./flag.module.css";
import { Details } from "./details";
import { EnvironmentTabs } from "./environment-tabs";
import { TheirMarks } from "./theirs";
import { useFlag } from "./use-flag";

/** A flag: what it is, and a tab for each environment. */
export function FlagPage() {
  const { t } = useTranslation();
  const { organization, project, key, detail, environments, server, view } = useFlag();
  useTitle(view?.flag.name ?? key, project);
  const error = detail.error ?? environments.error;
  if (error) {
    const retry = () => {
      void detail.refetch();
      void environments.refetch();
    };
    return <Failure error={error} retry={retry} />;
  }
  if (!server || !view || !environments.data) return <Waiting />;
  return (
    <TheirMarks key={`${project}/${key}`}>
      <div className={classes.page}>
        <p className={classes.trail}>
          <Link to="/$organization/$project/flags" params={{ organization, project }}>
            {t("shell.flags")}
          </Link>
        </p>
        <Details server={server} flag={view.flag} />
        <EnvironmentTabs all={environments.data} />
        <Outlet />
      </div>
    </TheirMarks>
  );
}

/** Where an address names no environment. */
export function FirstEnvironment() {
  const { organization, project, key, environments } = useFlag();
  const settings = useQuery(settingsQuery(organization));
  const here = useHere();
  if (!environments.data || settings.isPending || !here) return null;
  const [environment] = environmentsToShow(organization, project, environments.data, settings.data);
  if (environment === undefined) return null;
  const params = { organization, project, flag: key, environment };
  return <Navigate to="/$organization/$project/flags/$flag/$environment" params={params} replace />;
}
