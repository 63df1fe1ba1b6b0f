import { useMediaQuery } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Ago } from "@/components/ago";
import { Button } from "@/components/button";
import type { Schemas } from "@/lib/api/client";
import classes from "./users.module.css";

interface Props {
  organization: string;
  project: string;
  environment: string;
  items: Schemas["EndUserView"][];
  /** Asks for the next page, where there is one. */
  more: (() => void) | undefined;
  busy: boolean;
}

/** The next page is asked for when so few rows are left. */
const AHEAD = 20;

/** The rows that are in view, however many there are. */
export function UserList({ organization, project, environment, items, more, busy }: Props) {
  const { t } = useTranslation();
  const scroller = useRef<HTMLDivElement>(null);
  const narrow = useMediaQuery("(max-width: 760px)", undefined, {
    getInitialValueInEffect: false,
  });
  const height = narrow ? 60 : 36;
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 8,
  });
  useEffect(() => rows.measure(), [rows, height]);
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  // An empty page may have another behind it: that is asked for by hand, it can take long.
  const near = items.length > 0 && last > items.length - AHEAD;
  useEffect(() => {
    if (near && !busy) more?.();
  }, [near, busy, more]);

  return (
    <div className={classes.table} role="table" aria-label={t("users.title")} aria-rowcount={-1}>
      <div className={classes.header} role="row">
        <span role="columnheader">{t("users.key")}</span>
        <span role="columnheader">{t("users.name")}</span>
        <span role="columnheader">{t("users.properties")}</span>
        <span role="columnheader">{t("users.lastSeen")}</span>
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls by keys */}
      <div className={classes.scroller} ref={scroller} role="rowgroup" tabIndex={0}>
        <div style={{ height: rows.getTotalSize(), position: "relative" }} role="presentation">
          {shown.map(({ index, start, size }) => {
            const item = items[index];
            return (
              item && (
                <div
                  key={item.key}
                  role="row"
                  data-row
                  className={classes.row}
                  style={{ transform: `translateY(${start}px)`, height: size }}
                >
                  <span role="cell" className={classes.cell}>
                    <Link
                      to="/$organization/$project/users/$environment/$user"
                      params={{ organization, project, environment, user: item.key }}
                    >
                      <bdi className={classes.key}>{item.key}</bdi>
                    </Link>
                  </span>
                  <span role="cell" className={classes.cell}>
                    <bdi>{item.name}</bdi>
                  </span>
                  <span role="cell" className={`${classes.cell} ${classes.quiet}`}>
                    <Properties of={item.properties} />
                  </span>
                  <span role="cell" className={`${classes.cell} ${classes.quiet}`}>
                    <Ago at={item.lastSeen} />
                  </span>
                </div>
              )
            );
          })}
        </div>
        {more && items.length === 0 && (
          <div className={classes.further}>
            <p>{t("users.further")}</p>
            <Button busy={busy} onClick={more}>
              {t("users.lookFurther")}
            </Button>
          </div>
        )}
      </div>
    </div>
  );
}

/** So many properties are in a row. */
const NAMED = 4;

function Properties({ of }: { of: Record<string, string> }) {
  return Object.entries(of)
    .slice(0, NAMED)
    .map(([name, value]) => (
      <span key={name} className={classes.property}>
        <bdi>{name}</bdi> <bdi className={classes.value}>{value === "" ? "“”" : value}</bdi>
      </span>
    ));
}
