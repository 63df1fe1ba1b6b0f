import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Ago } from "@/components/ago";
import type { Schemas } from "@/lib/api/client";
import classes from "./flags.module.css";
import type { Stop } from "./row";

interface Props {
  changed: Schemas["ChangedView"] | undefined;
  stop: Stop;
}

/** When it was changed last, and by whom; leads to the change beside the list. */
export function Changed({ changed, stop }: Props) {
  const { t } = useTranslation();
  // What the first start made, nobody did.
  const by = changed?.by === "system" ? t("history.by_system") : changed?.by;
  return (
    <span role="gridcell" className={`${classes.cell} ${classes.changed}`}>
      {changed && (
        <Link
          from="/$organization/$project/flags"
          to="."
          search={(now) => ({ ...now, change: changed.number })}
          title={t("flags.changedBy", { by })}
          {...stop}
        >
          <Ago at={changed.at} />
          <span className={classes.by}>{by}</span>
        </Link>
      )}
    </span>
  );
}
