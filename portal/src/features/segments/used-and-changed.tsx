import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Ago } from "@/components/ago";
import type { Schemas } from "@/lib/api/client";
import { useFormat } from "@/lib/format";
import classes from "./segments.module.css";

/** Of how many flags rules name a segment, and its last change: that leads to what it did. */
export function UsedAndChanged({ item }: { item: Schemas["ListedSegmentView"] }) {
  const { t } = useTranslation();
  const { list, number } = useFormat();
  const { usedByCount, usedByHidden, changed } = item;
  const flags = usedByCount ?? 0;
  const hidden = usedByHidden ?? 0;
  const used = list(
    [
      flags > 0 && t("segments.usedFlags", { count: flags, number: number(flags) }),
      hidden > 0 && t("segments.usedElsewhere", { count: hidden, number: number(hidden) }),
    ].filter((it) => it !== false),
  );
  return (
    <>
      <span role="cell" className={classes.cell}>
        <span className={used === "" ? `${classes.cut} ${classes.quiet}` : classes.cut}>
          {used || t("segments.usedNowhere")}
        </span>
      </span>
      <span role="cell" className={`${classes.cell} ${classes.changed}`}>
        {changed && (
          <Link
            from="/$organization/$project/segments"
            to="."
            search={(now) => ({ ...now, change: changed.number })}
          >
            <Ago at={changed.at} />
            <span className={classes.cut}>{changed.by}</span>
          </Link>
        )}
      </span>
    </>
  );
}
