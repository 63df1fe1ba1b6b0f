import { Link, Outlet, useLocation, useParams } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { ProjectSettingsLinks } from "./project-settings-links";
import classes from "./settings-frame.module.css";

/** What is around all pages of settings: of the organization, the project, and oneself. */
export function SettingsFrame() {
  const { t } = useTranslation();
  const { organization = "" } = useParams({ strict: false });
  const { pathname } = useLocation();
  const menu = useRef<HTMLDetailsElement>(null);
  // On narrow screens the menu covers what was chosen in it.
  useEffect(() => {
    if (menu.current) menu.current.open = false;
  }, [pathname]);
  const params = { organization };
  const parts = (
    <>
      <h2>{t("settings.organization")}</h2>
      <Link to="/$organization/settings/general" params={params}>
        {t("settings.general")}
      </Link>
      <Link
        to="/$organization/settings/members"
        params={params}
        activeOptions={{ includeSearch: false }}
      >
        {t("settings.members")}
      </Link>
      <Link to="/$organization/settings/groups" params={params}>
        {t("settings.groups")}
      </Link>
      <Link to="/$organization/settings/policies" params={params}>
        {t("settings.policies")}
      </Link>
      <Link to="/$organization/settings/sign-in" params={params}>
        {t("settings.signIn")}
      </Link>
      <Link to="/$organization/settings/relays" params={params}>
        {t("settings.relays")}
      </Link>
      <ProjectSettingsLinks organization={organization} />
      <h2>{t("settings.you")}</h2>
      <Link to="/$organization/settings/profile" params={params}>
        {t("settings.profile")}
      </Link>
      <Link to="/$organization/settings/security" params={params}>
        {t("settings.security")}
      </Link>
      <Link to="/$organization/settings/tokens" params={params}>
        {t("settings.tokens")}
      </Link>
      <Link to="/$organization/settings/appearance" params={params}>
        {t("settings.appearance")}
      </Link>
    </>
  );
  return (
    <div className={classes.frame}>
      <nav className={classes.wide} aria-label={t("settings.title")}>
        {parts}
      </nav>
      <details ref={menu} className={classes.narrow}>
        <summary>{t("settings.title")}</summary>
        <nav aria-label={t("settings.title")}>{parts}</nav>
      </details>
      <div className={classes.content}>
        <Outlet />
      </div>
    </div>
  );
}
