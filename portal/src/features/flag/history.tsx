import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ChangeEntry } from "@/components/change-entry";
import { Empty, Failure, Waiting } from "@/components/states";
import { historyQuery } from "@/lib/api/queries";
import { useFlag } from "./use-flag";

/** So many entries are looked for before somebody asks for more, on so many pages at most. */
const ENOUGH = 5;
const MOST_PAGES = 10;

/** What was done with the flag, newest first, wherever it was. */
export function FlagHistory() {
  const { t } = useTranslation();
  const { organization, project, key } = useFlag();
  const history = useInfiniteQuery(historyQuery(organization, project));
  const about = (history.data?.pages ?? [])
    .flatMap((page) => page.items)
    .filter((it) => it.diff.some((line) => line.params["flag"] === key));
  // The API's history is of the project; what is about this flag may lie further back.
  const { hasNextPage, isFetching, fetchNextPage } = history;
  const further = about.length < ENOUGH && hasNextPage && !isFetching;
  const pages = history.data?.pages.length ?? 0;
  useEffect(() => {
    if (further && pages < MOST_PAGES) void fetchNextPage();
  }, [further, pages, fetchNextPage]);
  if (history.isError) {
    return <Failure error={history.error} retry={() => void history.refetch()} />;
  }
  if (!history.data) return <Waiting />;
  return (
    <div>
      {about.length === 0 && !history.hasNextPage && <Empty title={t("history.none")} />}
      <ol>
        {about.map((change) => (
          <ChangeEntry
            key={change.id}
            organization={organization}
            change={change}
            only={(line) => line.params["flag"] === key}
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
