import { useMediaQuery } from "@mantine/hooks";
import { useVirtualizer } from "@tanstack/react-virtual";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import { sameSubject, subjectOf } from "@/lib/draft/edit";
import { useDraft } from "@/lib/draft/store";
import { useFormat } from "@/lib/format";
import { addressOf, scopeOfPlace } from "@/lib/model/segment";
import type { Row } from "@/lib/segment-filter";
import { PlaceName } from "./place-name";
import classes from "./segments.module.css";
import { UsedAndChanged } from "./used-and-changed";

interface Props {
  organization: string;
  project: string;
  environments: Schemas["EnvironmentView"][];
  rows: Row[];
}

const ROW_PX = 36;
const ROW_NARROW_PX = 96;

/** The rows that are in view, however many there are. */
export function SegmentList({ organization, project, environments, rows }: Props) {
  const { t } = useTranslation();
  const { number, list } = useFormat();
  const draft = useDraft();
  const scroller = useRef<HTMLDivElement>(null);
  const narrow = useMediaQuery("(max-width: 760px)", undefined, {
    getInitialValueInEffect: false,
  });
  const height = narrow ? ROW_NARROW_PX : ROW_PX;
  const shown = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 8,
  });
  useEffect(() => shown.measure(), [shown, height]);
  const edited = ({ place, item }: Row) => {
    const subject = {
      kind: "segment" as const,
      key: item.key,
      project: place.project,
      environment: place.environment,
    };
    return draft.commands.some((it) => sameSubject(subjectOf(it), subject));
  };
  const size = ({ item }: Row) =>
    list(
      [
        item.includedCount > 0 &&
          t("segments.included", { count: item.includedCount, number: number(item.includedCount) }),
        item.rules.length > 0 && t("segments.rules", { count: item.rules.length }),
      ].filter((it) => it !== false),
    );
  return (
    <div
      className={classes.table}
      role="table"
      aria-rowcount={rows.length + 1}
      aria-label={t("segments.title")}
    >
      <div className={classes.header} role="row">
        <span role="columnheader">{t("segments.name")}</span>
        <span role="columnheader">{t("segments.where")}</span>
        <span role="columnheader">{t("segments.takes")}</span>
        <span role="columnheader">{t("segments.usedBy")}</span>
        <span role="columnheader">{t("flags.changed")}</span>
        <span role="columnheader">{t("segments.tags")}</span>
      </div>
      <div className={classes.scroller} ref={scroller} role="rowgroup">
        <div style={{ height: shown.getTotalSize(), position: "relative" }} role="presentation">
          {shown.getVirtualItems().map(({ index, start }) => {
            const row = rows[index];
            return (
              row && (
                <div
                  key={`${scopeOfPlace(row.place)} ${row.item.key}`}
                  className={classes.row}
                  role="row"
                  aria-rowindex={index + 2}
                  style={{ top: start, height }}
                >
                  <span role="rowheader" className={classes.cell}>
                    <Link
                      to="/$organization/$project/segments/$place/$segment"
                      params={{
                        organization,
                        project,
                        place: addressOf(row.place),
                        segment: row.item.key,
                      }}
                      className={classes.name}
                    >
                      <span className={classes.cut}>{row.item.name}</span>
                      {row.item.name !== row.item.key && (
                        <code className={classes.quiet}>{row.item.key}</code>
                      )}
                      {edited(row) && <span className={classes.edited}>{t("flags.edited")}</span>}
                    </Link>
                  </span>
                  <span role="cell" className={classes.cell}>
                    <PlaceName place={row.place} environments={environments} />
                  </span>
                  <span role="cell" className={classes.cell}>
                    <span className={classes.cut}>{size(row) || t("segments.nobody")}</span>
                  </span>
                  <UsedAndChanged item={row.item} />
                  <span role="cell" className={`${classes.cell} ${classes.quiet}`}>
                    <span className={classes.cut}>{row.item.tags.join(", ")}</span>
                  </span>
                </div>
              )
            );
          })}
        </div>
      </div>
    </div>
  );
}
