import { useQuery } from "@tanstack/react-query";
import { Link, Navigate, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { EnvironmentName } from "@/components/environment";
import { Failure, Waiting } from "@/components/states";
import { Tabs } from "@/components/tabs";
import { useHere } from "@/components/use-here";
import { environmentsQuery } from "@/lib/api/queries";
import classes from "./users.module.css";

/** How many environments are tabs; the others are in a list beside them. */
const TABS = 6;

interface Props {
  organization: string;
  project: string;
  /** Which environment's users are shown; none where it is about all of them. */
  environment?: string;
  /** Whether it is about what they were given. */
  decisions?: boolean;
  actions?: ReactNode;
  children: ReactNode;
}

const USERS = "/$organization/$project/users/$environment";
const DECISIONS = "/$organization/$project/decisions/$environment";

/** What is around the users of a project: a tab for each environment, and what all share. */
export function UsersFrame(props: Props) {
  const { organization, project, environment, decisions = false, actions, children } = props;
  const { t } = useTranslation();
  const environments = useQuery(environmentsQuery(organization, project));
  const all = environments.data ?? [];
  const params = { organization, project };
  const first = all.slice(0, TABS);
  const here = all.find((it) => it.key === environment);
  // Where one is, is always a tab.
  const tabs = here && !first.includes(here) ? [...first.slice(0, -1), here] : first;
  const others = all.filter((it) => !tabs.includes(it));
  const title = t(decisions ? "users.decisions" : "users.title");
  const to = decisions ? DECISIONS : USERS;
  // From what somebody was given to who there is, and back.
  const other = decisions ? USERS : DECISIONS;
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <h1>{title}</h1>
        {environment !== undefined && (
          <Link to={other} params={{ ...params, environment }}>
            {t(decisions ? "users.title" : "users.decisions")}
          </Link>
        )}
        <div className={classes.headActions}>{actions}</div>
      </header>
      <Tabs label={title}>
        {tabs.map((it) => (
          <Link
            key={it.key}
            to={to}
            params={{ ...params, environment: it.key }}
            activeOptions={{ includeSearch: false }}
          >
            <EnvironmentName of={it} />
          </Link>
        ))}
        {others.length > 0 && <Others keys={others.map((it) => it.key)} to={to} {...params} />}
        <Link to="/$organization/$project/user-properties" params={params}>
          {t("users.properties")}
        </Link>
      </Tabs>
      {children}
    </div>
  );
}

function Others({
  keys,
  to,
  organization,
  project,
}: {
  keys: string[];
  to: typeof USERS | typeof DECISIONS;
  organization: string;
  project: string;
}) {
  const { t } = useTranslation();
  return (
    <details className={classes.others}>
      <summary>{t("users.moreEnvironments", { count: keys.length })}</summary>
      <ul>
        {keys.map((environment) => (
          <li key={environment}>
            <Link to={to} params={{ organization, project, environment }}>
              {environment}
            </Link>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Where an address names no environment. */
export function FirstUsers() {
  const { organization = "", project = "" } = useParams({ strict: false });
  const environments = useQuery(environmentsQuery(organization, project));
  const here = useHere();
  if (environments.isError) {
    return <Failure error={environments.error} retry={() => void environments.refetch()} />;
  }
  const environment = environments.data?.[0]?.key;
  if (environment === undefined || !here) return <Waiting />;
  const params = { organization, project, environment };
  return <Navigate to="/$organization/$project/users/$environment" params={params} replace />;
}
