import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ActLine } from "@/components/act-line";
import { ChangeEntry } from "@/components/change-entry";
import { Empty, Failure, Waiting } from "@/components/states";
import { VirtualList } from "@/components/virtual-list";
import { type PastFilter, pastQuery } from "@/lib/api/changes";
import type { Schemas } from "@/lib/api/client";
import { ChangesFrame } from "./frame";
import { HistoryFilters } from "./history-filters";

const ROUTE = "/$organization/changes/history";

/** All that was done in the organization, or what of it is looked for. */
export function HistoryPage() {
  const { t } = useTranslation();
  const { organization } = useParams({ from: ROUTE });
  const filter = useSearch({ from: ROUTE });
  const navigate = useNavigate({ from: ROUTE });
  const past = useInfiniteQuery(pastQuery(organization, filter));
  const items = past.data?.pages.flatMap((it) => it.items) ?? [];
  const filtered = Object.keys(filter).length > 0;
  const change = (search: PastFilter) => void navigate({ to: ROUTE, search, replace: true });
  return (
    <ChangesFrame>
      <HistoryFilters organization={organization} filter={filter} change={change} />
      {filter.project && filter.environment && (
        <p>
          <Link
            to="/$organization/$project/history/$environment"
            params={{ organization, project: filter.project, environment: filter.environment }}
          >
            {t("past.versionsOf", { environment: filter.environment })}
          </Link>
        </p>
      )}
      {past.isError ? (
        <Failure error={past.error} retry={() => void past.refetch()} />
      ) : !past.data ? (
        <Waiting />
      ) : (
        <>
          {items.length === 0 && (
            <Empty title={t(filtered ? "past.nothingLikeThat" : "history.none")}>
              {filtered && <Button onClick={() => change({})}>{t("past.clear")}</Button>}
            </Empty>
          )}
          <VirtualList
            label={t("changes.history")}
            items={items}
            keyOf={(it) => it.id}
            estimate={96}
          >
            {(it) => (
              <ChangeEntry
                organization={organization}
                change={it}
                line={ActLine}
                more={<ToDelivery organization={organization} of={it} />}
              />
            )}
          </VirtualList>
          {past.hasNextPage && (
            <Button busy={past.isFetchingNextPage} onClick={() => void past.fetchNextPage()}>
              {t("history.more")}
            </Button>
          )}
        </>
      )}
    </ChangesFrame>
  );
}

/** The way to who has it, where it moved what programs get. */
function ToDelivery({ organization, of }: { organization: string; of: Schemas["ChangeView"] }) {
  const { t } = useTranslation();
  if (!Object.keys(of.versions).some((it) => /^[^/]+\//.test(it))) return null;
  return (
    <Link to="/$organization/changes/$id" params={{ organization, id: of.id }}>
      {t("delivery.title")}
    </Link>
  );
}
