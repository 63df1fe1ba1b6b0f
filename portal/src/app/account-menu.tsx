import { lazy } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import { MenuButton } from "./menu-button";
import classes from "./shell.module.css";

const AccountItems = lazy(() =>
  import("./account-items").then((it) => ({ default: it.AccountItems })),
);

interface Props {
  organization: string;
  me: Schemas["Me"] | undefined;
}

/** Who is signed in, what they chose for themselves, and the way out. */
export function AccountMenu({ organization, me }: Props) {
  const { t } = useTranslation();
  return (
    <MenuButton
      className={classes.item}
      face={
        <>
          <span className="hidden">{t("shell.account")}</span>
          <span className={classes.account}>{me?.name ?? "…"}</span>
          <span className={classes.initial} aria-hidden="true">
            {Array.from(me?.name ?? "…")[0]}
          </span>
        </>
      }
      renderMenu={(button) => <AccountItems button={button} organization={organization} me={me} />}
    />
  );
}
