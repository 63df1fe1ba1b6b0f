import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Refused } from "@/components/refused";
import { Empty, Waiting } from "@/components/states";
import { Refused as Refusal } from "@/lib/api/client";
import { decisionsQuery } from "@/lib/api/decisions";
import { environmentsQuery } from "@/lib/api/queries";
import type { DecisionFilter } from "@/lib/decision-filter";
import { useFormat } from "@/lib/format";
import { useTitle } from "@/lib/title";
import { UsersFrame } from "../frame";
import { Decision } from "./decision";
import classes from "./decisions.module.css";
import { Filters } from "./filters";

const AT = "/$organization/$project/decisions/$environment";

/** What users of an environment were really given, and whether the explanation says the same. */
export function DecisionsPage() {
  const { t } = useTranslation();
  const place = useParams({ from: AT });
  const { organization, project, environment } = place;
  const filter = useSearch({ from: AT });
  const navigate = useNavigate({ from: AT });
  useTitle(t("decisions.title"), environment);
  const log = useInfiniteQuery(decisionsQuery(organization, project, environment, filter));
  const change = (next: DecisionFilter) => void navigate({ search: next, replace: true });
  const items = log.data?.pages.flatMap((page) => page.items) ?? [];
  const refused = log.error instanceof Refusal && log.error.status === 403;
  const filtered = Object.keys(filter).length > 0;
  const none = log.isSuccess && items.length === 0 && !log.hasNextPage;
  return (
    <UsersFrame
      {...place}
      decisions
      actions={
        <Button busy={log.isRefetching} onClick={() => void log.refetch()}>
          {t("decisions.refresh")}
        </Button>
      }
    >
      {!refused && (
        <div className={classes.head}>
          <Logged {...place} />
          {(filtered || !none) && <Filters filter={filter} change={change} />}
        </div>
      )}
      {log.isError && items.length === 0 && (
        <Refused
          error={log.error}
          retry={() => void log.refetch()}
          needs={{ action: "user.read", resource: `project/${project}:env/${environment}` }}
        />
      )}
      {log.isPending && <Waiting rows={12} />}
      {none && (
        <Empty title={t(filtered ? "decisions.noMatch" : "decisions.none", { environment })}>
          {filtered ? (
            <Button onClick={() => change({})}>{t("decisions.clear")}</Button>
          ) : (
            <p>{t("decisions.noneHelp")}</p>
          )}
        </Empty>
      )}
      {log.data && !none && (
        <div
          className={classes.scroller}
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls by keys
          tabIndex={0}
          role="region"
          aria-label={t("decisions.title")}
        >
          <ul className={classes.rows}>
            {items.map((it) => (
              <Decision key={it.id} of={it} {...place} />
            ))}
          </ul>
          {log.hasNextPage && (
            <p className={classes.more}>
              <Button busy={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
                {t("decisions.older")}
              </Button>
            </p>
          )}
        </div>
      )}
    </UsersFrame>
  );
}

/** Of whom decisions are logged, and where that is set. */
function Logged(place: { organization: string; project: string; environment: string }) {
  const { t } = useTranslation();
  const { share } = useFormat();
  const environments = useQuery(environmentsQuery(place.organization, place.project));
  const here = environments.data?.find((it) => it.key === place.environment);
  if (!here) return null;
  const { sample } = here.decisionLog;
  const words = { environment: place.environment, share: share(sample) };
  const said = sample === 0 ? "decisions.off" : sample === 1 ? "decisions.all" : "decisions.some";
  return (
    <p className={classes.logged}>
      {t(said, words)}{" "}
      <Link to="/$organization/$project/settings/environments/$environment" params={place}>
        {t(sample === 0 ? "decisions.turnOn" : "decisions.settings")}
      </Link>
    </p>
  );
}
