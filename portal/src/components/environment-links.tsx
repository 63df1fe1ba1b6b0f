import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Anchored } from "./anchored";
import classes from "./environment-menu.module.css";

interface Props {
  organization: string;
  project: string;
  environment: string;
  anchor: HTMLElement;
  close: () => void;
}

/** Where an environment's menu leads. */
export function EnvironmentLinks({ organization, project, environment, anchor, close }: Props) {
  const { t } = useTranslation();
  const params = { organization, project, environment };
  const settings = "/$organization/$project/settings/environments/$environment" as const;
  return (
    <Anchored anchor={anchor} title={environment} close={close}>
      <nav className={classes.links} aria-label={environment}>
        <Link to={`${settings}/keys`} params={params} data-autofocus>
          {t("environmentMenu.keys")}
        </Link>
        <Link to={`${settings}/rules`} params={params}>
          {t("environmentMenu.rules")}
        </Link>
        <Link to="/$organization/$project/users/$environment" params={params}>
          {t("environmentMenu.users")}
        </Link>
        <Link to="/$organization/$project/history/$environment" params={params}>
          {t("environmentMenu.history")}
        </Link>
        <Link to="/$organization/$project/compare" params={params}>
          {t("environmentMenu.compare")}
        </Link>
        <Link to={settings} params={params} activeOptions={{ exact: true }}>
          {t("environmentMenu.settings")}
        </Link>
        <Link to="/$organization/audit" params={{ organization }} search={{ project, environment }}>
          {t("environmentMenu.audit")}
        </Link>
      </nav>
    </Anchored>
  );
}
