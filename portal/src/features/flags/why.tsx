import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import { useFormat } from "@/lib/format";
import classes from "./flags.module.css";
import type { Stop } from "./row";

type Item = Schemas["IndexedFlagView"];

interface Props {
  item: Item;
  stop: Stop;
  archive: (items: Item[]) => void;
}

/** Why nobody may need a flag any more, and the way to do without it. */
export function Why({ item, stop, archive }: Props) {
  const { t } = useTranslation();
  const { day } = useFormat();
  const stale = item.stale ?? undefined;
  const since = stale?.code === "oneValue" ? stale.since : (stale?.lastEvaluatedAt ?? undefined);
  const words =
    stale &&
    (since === undefined
      ? t("flags.staleWhy.never")
      : t(`flags.staleWhy.${stale.code}`, { since: day(since) }));
  return (
    <span role="gridcell" className={`${classes.cell} ${classes.why}`}>
      <span title={words}>{words}</span>
      <button
        type="button"
        className={classes.archive}
        {...stop}
        aria-label={t("flags.archiveOf", { flag: item.key })}
        onClick={() => archive([item])}
      >
        {t("flags.archive")}
      </button>
    </span>
  );
}
