import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Chips } from "@/components/chips";
import { Empty, Failure, Waiting } from "@/components/states";
import { WHICH, requestsQuery } from "@/lib/api/changes";
import { ChangesFrame } from "./frame";
import { RequestRow } from "./request-row";

/** Requests: what waits for me, what I asked for, and all others. */
export function RequestsPage() {
  const { t } = useTranslation();
  const { organization } = useParams({ from: "/$organization/changes" });
  const { show = "open" } = useSearch({ from: "/$organization/changes" });
  const requests = useInfiniteQuery(requestsQuery(organization, show));
  const items = requests.data?.pages.flatMap((it) => it.items) ?? [];
  return (
    <ChangesFrame>
      <Chips label={t("changes.which")}>
        {WHICH.map((which) => (
          <Link
            key={which}
            to="/$organization/changes"
            params={{ organization }}
            search={which === "open" ? {} : { show: which }}
            activeOptions={{ exact: true }}
          >
            {t(`changes.show.${which}`)}
          </Link>
        ))}
      </Chips>
      {requests.isError ? (
        <Failure error={requests.error} retry={() => void requests.refetch()} />
      ) : !requests.data ? (
        <Waiting />
      ) : (
        <>
          {items.length === 0 && (
            <Empty title={t(`changes.none.${show}`)}>
              {show === "open" && <p>{t("changes.noneHelp")}</p>}
            </Empty>
          )}
          <ul aria-label={t("changes.requests")}>
            {items.map((it) => (
              <RequestRow key={it.id} organization={organization} request={it} />
            ))}
          </ul>
          {requests.hasNextPage && (
            <Button
              busy={requests.isFetchingNextPage}
              onClick={() => void requests.fetchNextPage()}
            >
              {t("changes.older")}
            </Button>
          )}
        </>
      )}
    </ChangesFrame>
  );
}
