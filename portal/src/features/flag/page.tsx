import { Link, Navigate, Outlet } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { EnvironmentName } from "@/components/environment";
import { Failure, Waiting } from "@/components/states";
import { useTitle } from "@/lib/title";
import classes from "./flag.module.css";
import { Details } from "./details";
import { useFlag } from "./use-flag";

/** How many environments are tabs; the others are in a list beside them. */
const TABS = 6;

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
  const params = { organization, project, flag: key };
  return (
    <div className={classes.page}>
      <p className={classes.trail}>
        <Link to="/$organization/$project/flags" params={{ organization, project }}>
          {t("shell.flags")}
        </Link>
      </p>
      <Details server={server} flag={view.flag} />
      <nav className={classes.tabs} aria-label={t("flag.environments")}>
        {environments.data.slice(0, TABS).map((it) => (
          <Link
            key={it.key}
            to="/$organization/$project/flags/$flag/$environment"
            params={{ ...params, environment: it.key }}
          >
            <EnvironmentName of={it} />
            <small>{stateOf(it.key)}</small>
          </Link>
        ))}
        {environments.data.length > TABS && (
          <More keys={environments.data.slice(TABS).map((it) => it.key)} />
        )}
        <Link to="/$organization/$project/flags/$flag/history" params={params}>
          {t("flag.history")}
        </Link>
      </nav>
      <Outlet />
    </div>
  );

  function stateOf(environment: string) {
    const targeting = view?.targetings[environment];
    if (!targeting) return t("flags.notReleased");
    return t(targeting.on ? "flags.on" : "flags.off");
  }
}

function More({ keys }: { keys: string[] }) {
  const { t } = useTranslation();
  const { organization, project, key } = useFlag();
  return (
    <details className={classes.more}>
      <summary>{t("flag.moreEnvironments", { count: keys.length })}</summary>
      <ul>
        {keys.map((environment) => (
          <li key={environment}>
            <Link
              to="/$organization/$project/flags/$flag/$environment"
              params={{ organization, project, flag: key, environment }}
            >
              {environment}
            </Link>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Where an address names no environment. */
export function FirstEnvironment() {
  const { organization, project, key, environments } = useFlag();
  const environment = environments.data?.[0]?.key;
  if (environment === undefined) return null;
  const params = { organization, project, flag: key, environment };
  return <Navigate to="/$organization/$project/flags/$flag/$environment" params={params} replace />;
}
