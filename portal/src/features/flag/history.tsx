import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ChangeEntry } from "@/components/change-entry";
import { SelectField } from "@/components/select-field";
import { Empty, Failure, Waiting } from "@/components/states";
import { flagHistoryQuery } from "@/lib/api/flag";
import { useFormat } from "@/lib/format";
import classes from "./history.module.css";
import { useFlag } from "./use-flag";

/** What was done with the flag, newest first; in one environment, where somebody chose one. */
export function FlagHistory() {
  const { t } = useTranslation();
  const { number } = useFormat();
  const { organization, project, key, environments } = useFlag();
  const { environment = "" } = useSearch({ strict: false }) as { environment?: string };
  const navigate = useNavigate();
  const params = { organization, project, flag: key };
  const history = useInfiniteQuery(flagHistoryQuery(organization, project, key, environment));
  if (history.isError) {
    return <Failure error={history.error} retry={() => void history.refetch()} />;
  }
  const items = history.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <div>
      <div className={classes.filter}>
        <SelectField
          label={t("flag.historyIn")}
          value={environment}
          onChange={({ target }) =>
            void navigate({
              to: "/$organization/$project/flags/$flag/history",
              params,
              search: target.value === "" ? {} : { environment: target.value },
              replace: true,
            })
          }
        >
          <option value="">{t("flag.everywhere")}</option>
          {environments.data?.map((it) => (
            <option key={it.key} value={it.key}>
              {it.key}
            </option>
          ))}
        </SelectField>
      </div>
      {!history.data && <Waiting />}
      {history.data && items.length === 0 && !history.hasNextPage && (
        <Empty title={t("history.none")} />
      )}
      <ol>
        {items.map((change) => (
          <ChangeEntry
            key={change.id}
            organization={organization}
            change={change}
            only={(line) => line.params["flag"] === key}
            more={Object.entries(change.versions)
              .filter(([scope]) => scope.startsWith(`${project}/`))
              .map(([scope, version]) => {
                const at = scope.slice(project.length + 1);
                return (
                  <Link
                    key={scope}
                    to="/$organization/$project/flags/$flag/history/$environment/$version"
                    params={{ ...params, environment: at, version: String(version) }}
                    className={`${classes.version} reach`}
                  >
                    {t("flag.stateAt", { environment: at, version: number(version) })}
                  </Link>
                );
              })}
          />
        ))}
      </ol>
      {history.hasNextPage && (
        <Button busy={history.isFetchingNextPage} onClick={() => void history.fetchNextPage()}>
          {t("history.more")}
        </Button>
      )}
    </div>
  );
}
