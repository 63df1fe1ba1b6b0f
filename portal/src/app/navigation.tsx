import { useQuery } from "@tanstack/react-query";
import { Link, useMatchRoute } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import { inboxQuery } from "@/lib/api/queries";
import { keysShown } from "@/lib/keyboard";
import { AccountMenu } from "./account-menu";
import { openPalette } from "./palette-key";
import { ProjectMenu } from "./project-menu";
import classes from "./shell.module.css";

interface Props {
  organization: string;
  project: string | undefined;
  me: Schemas["Me"] | undefined;
}

/** Where one can go. Only what there is. */
export function Navigation({ organization, project, me }: Props) {
  const { t } = useTranslation();
  const waiting = useQuery({ ...inboxQuery(organization), enabled: me !== undefined });
  const match = useMatchRoute();
  // A page of the users that is under no environment.
  const inProperties = match({ to: "/$organization/$project/user-properties" }) !== false;
  const inSettings = match({ to: "/$organization/$project/settings", fuzzy: true }) !== false;
  const count = waiting.data ? waiting.data.review + waiting.data.mine : 0;
  return (
    <nav className={classes.nav} aria-label={t("shell.navigation")}>
      <ProjectMenu organization={organization} project={project} me={me} />
      {project !== undefined && (
        <Link
          to="/$organization/$project/flags"
          params={{ organization, project }}
          activeOptions={{ includeSearch: false }}
        >
          {t("shell.flags")}
        </Link>
      )}
      {project !== undefined && (
        <Link
          to="/$organization/$project/segments"
          params={{ organization, project }}
          activeOptions={{ includeSearch: false }}
        >
          {t("shell.segments")}
        </Link>
      )}
      {project !== undefined && (
        <Link
          to="/$organization/$project/users"
          params={{ organization, project }}
          data-here={inProperties || undefined}
        >
          {t("shell.users")}
        </Link>
      )}
      <Link
        to="/$organization/changes"
        params={{ organization }}
        activeOptions={{ includeSearch: false }}
      >
        {t("shell.changes")}
        {count > 0 && (
          <span className={classes.badge} aria-label={t("shell.waiting", { count })}>
            {count}
          </span>
        )}
      </Link>
      {project !== undefined && (
        <Link to="/$organization/$project/compare" params={{ organization, project }}>
          {t("shell.compare")}
        </Link>
      )}
      <Link
        to="/$organization/audit"
        params={{ organization }}
        activeOptions={{ includeSearch: false }}
      >
        {t("shell.audit")}
      </Link>
      <Link
        to="/$organization/settings"
        params={{ organization }}
        data-here={inSettings || undefined}
      >
        {t("shell.settings")}
      </Link>
      <div className={classes.bottom} />
      <button type="button" className={classes.item} onClick={() => openPalette(true)}>
        {t("shell.search")} <kbd>{keysShown("Mod+K")}</kbd>
      </button>
      <AccountMenu organization={organization} me={me} />
    </nav>
  );
}
