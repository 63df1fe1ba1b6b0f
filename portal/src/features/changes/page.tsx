import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Ago } from "@/components/ago";
import { Button } from "@/components/button";
import { ChangeEntry } from "@/components/change-entry";
import { Page } from "@/components/page";
import { Tabs } from "@/components/tabs";
import { Empty, Failure, Waiting } from "@/components/states";
import type { Schemas } from "@/lib/api/client";
import { historyQuery, requestsQuery } from "@/lib/api/queries";
import { useTitle } from "@/lib/title";
import classes from "./changes.module.css";

/** What waits to be approved, and what was done. */
export function ChangesPage() {
  const { t } = useTranslation();
  const { organization } = useParams({ from: "/$organization/changes" });
  const { show } = useSearch({ from: "/$organization/changes" });
  useTitle(t("shell.changes"));
  const tab = (key: "requests" | "history") => (
    <Link
      to="/$organization/changes"
      params={{ organization }}
      search={key === "history" ? { show: "history" } : {}}
      activeOptions={{ exact: true }}
    >
      {t(`changes.${key}`)}
    </Link>
  );
  return (
    <Page title={t("shell.changes")}>
      <Tabs label={t("shell.changes")}>
        {tab("requests")}
        {tab("history")}
      </Tabs>
      {show === "history" ? (
        <History organization={organization} />
      ) : (
        <Requests organization={organization} />
      )}
    </Page>
  );
}

function Requests({ organization }: { organization: string }) {
  const { t } = useTranslation();
  const requests = useQuery(requestsQuery(organization, "open"));
  if (requests.isError) {
    return <Failure error={requests.error} retry={() => void requests.refetch()} />;
  }
  if (!requests.data) return <Waiting />;
  if (requests.data.length === 0) {
    return (
      <Empty title={t("changes.noRequests")}>
        <p>{t("changes.noRequestsHelp")}</p>
      </Empty>
    );
  }
  return (
    <ul>
      {requests.data.map((it) => (
        <RequestRow key={it.id} organization={organization} request={it} />
      ))}
    </ul>
  );
}

function RequestRow({
  organization,
  request,
}: {
  organization: string;
  request: Schemas["RequestView"];
}) {
  const { t } = useTranslation();
  const missing = request.needs.reduce((sum, it) => sum + it.missing, 0);
  return (
    <li className={classes.row}>
      <Link to="/$organization/changes/$id" params={{ organization, id: request.id }}>
        <strong>{request.title}</strong>
        <span className={classes.quiet}>
          {request.author} · <Ago at={request.changedAt} />
        </span>
      </Link>
      <span className={classes.state} data-state={request.state}>
        {t(`request.states.${request.state}`)}
        {missing > 0 &&
          request.state === "waiting" &&
          ` · ${t("request.missing", { count: missing })}`}
      </span>
      {request.awaitsYou && <span className={classes.you}>{t("request.awaitsYou")}</span>}
    </li>
  );
}

function History({ organization }: { organization: string }) {
  const { t } = useTranslation();
  const history = useInfiniteQuery(historyQuery(organization, undefined));
  if (history.isError) {
    return <Failure error={history.error} retry={() => void history.refetch()} />;
  }
  if (!history.data) return <Waiting />;
  const items = history.data.pages.flatMap((page) => page.items);
  return (
    <>
      {items.length === 0 && <Empty title={t("history.none")} />}
      <ol>
        {items.map((change) => (
          <ChangeEntry key={change.id} organization={organization} change={change} />
        ))}
      </ol>
      {history.hasNextPage && (
        <Button busy={history.isFetchingNextPage} onClick={() => void history.fetchNextPage()}>
          {t("history.more")}
        </Button>
      )}
    </>
  );
}
