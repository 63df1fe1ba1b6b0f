import { useQuery } from "@tanstack/react-query";
import { Link, useMatchRoute } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import { inboxQuery } from "@/lib/api/queries";
import { keysShown } from "@/lib/keyboard";
import { AccountMenu } from "./account-menu";
import { MoreMenu } from "./more-menu";
import { openPalette } from "./palette-key";
import { ProjectMenu } from "./project-menu";
import classes from "./shell.module.css";
import { Sign } from "./sign";

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
  // Pages of the users that have addresses of their own.
  const ofUsers = ["user-properties", "decisions/$environment"] as const;
  const inUsers = ofUsers.some((it) => match({ to: `/$organization/$project/${it}` }) !== false);
  const inSettings = match({ to: "/$organization/$project/settings", fuzzy: true }) !== false;
  const count = waiting.data ? waiting.data.review + waiting.data.mine : 0;
  return (
    <nav className={classes.nav} aria-label={t("shell.navigation")}>
      <div className={classes.place}>
        <ProjectMenu organization={organization} project={project} me={me} />
      </div>
      <div className={classes.links}>
        {project !== undefined && (
          <Link
            to="/$organization/$project/flags"
            params={{ organization, project }}
            activeOptions={{ includeSearch: false }}
          >
            <Sign of="flags" />
            {t("shell.flags")}
          </Link>
        )}
        {project !== undefined && (
          <Link
            to="/$organization/$project/segments"
            params={{ organization, project }}
            activeOptions={{ includeSearch: false }}
          >
            <Sign of="segments" />
            {t("shell.segments")}
          </Link>
        )}
        {project !== undefined && (
          <Link
            to="/$organization/$project/users"
            params={{ organization, project }}
            data-here={inUsers || undefined}
          >
            <Sign of="users" />
            {t("shell.users")}
          </Link>
        )}
        <Link
          to="/$organization/changes"
          params={{ organization }}
          activeOptions={{ includeSearch: false }}
        >
          <Sign of="changes" />
          {t("shell.changes")}
          {count > 0 && (
            <span className={classes.badge} aria-label={t("shell.waiting", { count })}>
              {count}
            </span>
          )}
        </Link>
        {project !== undefined && (
          <Link
            className={classes.rare}
            to="/$organization/$project/compare"
            params={{ organization, project }}
          >
            {t("shell.compare")}
          </Link>
        )}
        <Link
          className={classes.rare}
          to="/$organization/audit"
          params={{ organization }}
          activeOptions={{ includeSearch: false }}
        >
          {t("shell.audit")}
        </Link>
        <Link
          className={classes.rare}
          to="/$organization/settings"
          params={{ organization }}
          data-here={inSettings || undefined}
        >
          {t("shell.settings")}
        </Link>
        <MoreMenu organization={organization} project={project} />
      </div>
      <div className={classes.own}>
        <button type="button" className={classes.item} onClick={() => openPalette(true)}>
          <Sign of="search" />
          <span className={classes.word}>{t("shell.search")}</span> <kbd>{keysShown("Mod+K")}</kbd>
        </button>
        <AccountMenu organization={organization} me={me} />
      </div>
    </nav>
  );
}
