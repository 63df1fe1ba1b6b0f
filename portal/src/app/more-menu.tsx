import { useMatchRoute } from "@tanstack/react-router";
import { lazy } from "react";
import { useTranslation } from "react-i18next";
import { MenuButton } from "./menu-button";
import classes from "./shell.module.css";
import { Sign } from "./sign";

const MoreItems = lazy(() => import("./more-items").then((it) => ({ default: it.MoreItems })));

interface Props {
  organization: string;
  project: string | undefined;
}

/** On a phone: where one goes less often, one touch further away. */
export function MoreMenu({ organization, project }: Props) {
  const { t } = useTranslation();
  const match = useMatchRoute();
  const here =
    match({ to: "/$organization/$project/compare", fuzzy: true }) !== false ||
    match({ to: "/$organization/audit", fuzzy: true }) !== false ||
    match({ to: "/$organization/settings", fuzzy: true }) !== false ||
    match({ to: "/$organization/$project/settings", fuzzy: true }) !== false;
  return (
    <MenuButton
      className={`${classes.item} ${classes.more}`}
      here={here}
      face={
        <>
          <Sign of="more" />
          {t("shell.more")}
        </>
      }
      renderMenu={(button) => (
        <MoreItems button={button} organization={organization} project={project} />
      )}
    />
  );
}
