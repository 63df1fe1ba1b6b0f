import type { InfiniteData } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import classes from "./audit.module.css";
import { Entry } from "./entry";

interface Props {
  organization: string;
  data: InfiniteData<Schemas["Page_AuditView"]>;
  more: boolean;
  loading: boolean;
  load: () => void;
}

/** So many rows before the end, older ones are asked for. */
const AHEAD = 20;

/** The entries that are in view, however many there are; older ones as one comes to them. */
export function List({ organization, data, more, loading, load }: Props) {
  const { t } = useTranslation();
  const scroller = useRef<HTMLDivElement>(null);
  const items = data.pages.flatMap((page) => page.items);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 68,
    getItemKey: (index) => items[index]?.id ?? index,
    overscan: 6,
  });
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  const near = more && !loading && last >= items.length - AHEAD;
  useEffect(() => {
    if (near) load();
  }, [near, load]);
  return (
    <div
      className={classes.scroller}
      ref={scroller}
      role="feed"
      aria-label={t("audit.title")}
      aria-busy={loading}
      // It scrolls with the keys.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- see above
      tabIndex={0}
    >
      <div className={classes.rows} style={{ height: rows.getTotalSize() }} role="presentation">
        {shown.map(({ index, start }) => {
          const entry = items[index];
          return (
            entry && (
              <article
                key={entry.id}
                ref={rows.measureElement}
                data-index={index}
                className={classes.row}
                style={{ transform: `translateY(${start}px)` }}
                aria-posinset={index + 1}
                aria-setsize={more ? -1 : items.length}
                aria-labelledby={`entry-${entry.number}`}
              >
                <Entry organization={organization} entry={entry} />
              </article>
            )
          );
        })}
      </div>
    </div>
  );
}
