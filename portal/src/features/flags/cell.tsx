import { useTranslation } from "react-i18next";
import { ShareBar, VariationLabel } from "@/components/variation";
import type { Schemas } from "@/lib/api/client";
import classes from "./flags.module.css";
import type { Opened } from "./popups";
import type { Stop } from "./row";

interface Props {
  environment: string;
  item: Schemas["IndexedFlagView"];
  cell: Schemas["CellView"] | null;
  stop: Stop;
  open: (at: Opened) => void;
}

/** What a flag does in an environment: on or off, and what is served. A press opens what changes it. */
export function Cell({ environment, item, cell, stop, open }: Props) {
  const { t } = useTranslation();
  const state = cell === null ? "notReleased" : cell.on ? "on" : "off";
  const shares = (cell?.shares ?? [])
    .map((share, place) => ({ place, share, label: item.variations[place] ?? "?" }))
    .filter((it) => it.share > 0);
  const first = shares[0];
  const served = shares.map((it) => it.label).join(", ");
  const more = [
    cell?.targets && t("flags.hasTargets"),
    cell?.rules && t("flags.hasRules"),
    cell?.prerequisites && t("flags.hasPrerequisites"),
  ];
  const words = [t(`flags.${state}`), served, ...more].filter(Boolean).join(", ");
  return (
    <span role="gridcell" className={`${classes.cell} ${classes.place}`}>
      <button
        type="button"
        className={classes.state}
        data-state={state}
        {...stop}
        aria-haspopup="dialog"
        title={words}
        disabled={item.state === "archived"}
        onClick={({ currentTarget }) =>
          open({ kind: "cell", anchor: currentTarget, flag: item.key, environment })
        }
      >
        <span className="hidden">{t("flags.cell", { flag: item.key, environment })}</span>
        <span className={classes.where} aria-hidden="true">
          {environment}
        </span>
        <span className={classes.word}>{t(`flags.${state}`)}</span>
        {cell && shares.length === 1 && first && (
          <VariationLabel place={first.place} label={first.label} />
        )}
        {cell && shares.length > 1 && <ShareBar shares={shares} />}
        {cell?.on && (cell.rules || cell.targets || cell.prerequisites) && (
          <span className={classes.more} aria-hidden="true">
            +
          </span>
        )}
      </button>
    </span>
  );
}
