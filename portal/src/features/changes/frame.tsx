import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Page } from "@/components/page";
import { Tabs } from "@/components/tabs";
import { useTitle } from "@/lib/title";
import classes from "./changes.module.css";

/** What the pages about changes have alike: their name, and the way from one to another. */
export function ChangesFrame({ wide = false, children }: { wide?: boolean; children: ReactNode }) {
  const { t } = useTranslation();
  const { organization = "" } = useParams({ strict: false });
  useTitle(t("shell.changes"));
  const params = { organization };
  return (
    <Page title={t("shell.changes")} wide>
      <Tabs label={t("shell.changes")}>
        <Link
          to="/$organization/changes"
          params={params}
          activeOptions={{ exact: true, includeSearch: false }}
        >
          {t("changes.requests")}
        </Link>
        <Link
          to="/$organization/changes/schedule"
          params={params}
          activeOptions={{ includeSearch: false }}
        >
          {t("changes.schedule")}
        </Link>
        <Link
          to="/$organization/changes/history"
          params={params}
          activeOptions={{ includeSearch: false }}
        >
          {t("changes.history")}
        </Link>
      </Tabs>
      {/* As wide as one reads; the tabs above stay where they are. */}
      {wide ? children : <div className={classes.read}>{children}</div>}
    </Page>
  );
}
