import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ChangeEntry } from "@/components/change-entry";
import { Empty, Failure, Waiting } from "@/components/states";
import { segmentHistoryQuery } from "@/lib/api/segments";
import { useSegment } from "./use-segment";

/** What was done with it, newest first; each with the way back. */
export function SegmentHistory() {
  const { t } = useTranslation();
  const { organization, key, place } = useSegment();
  const history = useInfiniteQuery(segmentHistoryQuery(organization, place, key));
  if (history.isError) {
    return <Failure error={history.error} retry={() => void history.refetch()} />;
  }
  if (!history.data) return <Waiting />;
  const items = history.data.pages.flatMap((page) => page.items);
  return (
    <div>
      {items.length === 0 && !history.hasNextPage && <Empty title={t("history.none")} />}
      <ol>
        {items.map((change) => (
          <ChangeEntry
            key={change.id}
            organization={organization}
            change={change}
            only={(line) => line.params["segment"] === key}
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
