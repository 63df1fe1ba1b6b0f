import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Pennant } from "@/components/environment";
import { Page } from "@/components/page";
import { Failure, Waiting } from "@/components/states";
import { Tabs } from "@/components/tabs";
import { environmentQuery } from "@/lib/api/environments";
import classes from "./environments.module.css";

/** What is around the pages of one environment's settings. */
export function EnvironmentFrame() {
  const { t } = useTranslation();
  const place = useParams({ from: "/$organization/$project/settings/environments/$environment" });
  const found = useQuery(environmentQuery(place));
  if (found.isError) return <Failure error={found.error} retry={() => void found.refetch()} />;
  if (!found.data) return <Waiting />;
  const { name, key, colour, protected: mark } = found.data.it;
  return (
    <Page
      wide
      trail={
        <Link to="/$organization/$project/settings/environments" params={place}>
          {t("environments.title")}
        </Link>
      }
      title={
        <span className={classes.title}>
          <Pennant colour={colour} filled={mark} />
          {name}
          <code>{key}</code>
          {mark && <small className={classes.mark}>{t("environments.isProtected")}</small>}
        </span>
      }
    >
      {/* Where it is protected, that is seen from everywhere on the page. */}
      <div className={classes.tabs} style={mark ? { borderTopColor: colour } : undefined}>
        <Tabs label={name}>
          <Link
            to="/$organization/$project/settings/environments/$environment"
            params={place}
            activeOptions={{ exact: true }}
          >
            {t("environments.general")}
          </Link>
          <Link
            to="/$organization/$project/settings/environments/$environment/rules"
            params={place}
          >
            {t("environments.rules")}
          </Link>
          <Link to="/$organization/$project/settings/environments/$environment/keys" params={place}>
            {t("environments.keys")}
          </Link>
          <Link
            to="/$organization/$project/settings/environments/$environment/connections"
            params={place}
            activeOptions={{ includeSearch: false }}
          >
            {t("environments.connections")}
          </Link>
        </Tabs>
      </div>
      <Outlet />
    </Page>
  );
}
