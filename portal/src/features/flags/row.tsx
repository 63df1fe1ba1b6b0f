import { useQueryClient } from "@tanstack/react-query";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import { flagQuery } from "@/lib/api/queries";
import { Cell } from "./cell";
import { Changed } from "./changed";
import classes from "./flags.module.css";
import { Name } from "./name";
import type { Opened } from "./popups";
import { Tags } from "./tags";
import { Why } from "./why";

/** What is the same for all rows. */
export interface RowShared {
  organization: string;
  project: string;
  environments: Schemas["EnvironmentView"][];
  /** Where their cells stand in an item. */
  places: number[];
  whole: number;
  columns: string;
  stale: boolean;
  open: (at: Opened) => void;
  archive: (items: Schemas["IndexedFlagView"][]) => void;
}

export interface Stop {
  "data-row": number;
  "data-column": number;
  tabIndex: number;
}

interface Props {
  shared: RowShared;
  item: Schemas["IndexedFlagView"];
  row: number;
  top: number;
  height: number;
  /** The column that Tab stops at; none where negative. */
  active: number;
  edited: boolean;
  selected: boolean;
  toggle: (row: number, range: boolean) => void;
}

/** A flag: its name, what it does in each environment that is shown, and its last change. */
export const Row = memo(function Row(props: Props) {
  const { shared, item, row, active, selected } = props;
  const { organization, project, environments, whole, open } = shared;
  const { t } = useTranslation();
  const queries = useQueryClient();
  const stop = (column: number) => ({
    "data-row": row,
    "data-column": column,
    tabIndex: active === column ? 0 : -1,
  });
  const look = () => void queries.prefetchQuery(flagQuery(organization, project, item.key));
  const counts = { on: item.onIn ?? 0, all: whole };
  const last = environments.length + 2;
  return (
    <div
      className={classes.row}
      role="row"
      aria-rowindex={row + 2}
      aria-selected={selected}
      style={{ top: props.top, height: props.height, gridTemplateColumns: shared.columns }}
      onPointerEnter={look}
    >
      <span role="gridcell" className={classes.cell}>
        <label className={classes.check}>
          <span className="hidden">{t("flags.select", { flag: item.key })}</span>
          <input
            type="checkbox"
            {...stop(0)}
            checked={selected}
            onChange={({ nativeEvent }) =>
              props.toggle(row, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
            }
          />
        </label>
      </span>
      <span role="rowheader" className={classes.cell}>
        <Name shared={shared} item={item} edited={props.edited} stop={stop(1)} />
      </span>
      {environments.map((environment, index) => (
        <Cell
          key={environment.key}
          environment={environment.key}
          cell={item.cells[shared.places[index] ?? -1] ?? null}
          item={item}
          stop={stop(index + 2)}
          open={open}
        />
      ))}
      {whole > environments.length && (
        <span role="gridcell" className={`${classes.cell} ${classes.others}`}>
          <button
            type="button"
            className={classes.state}
            {...stop(last)}
            aria-haspopup="dialog"
            onClick={({ currentTarget }) =>
              open({ kind: "others", anchor: currentTarget, flag: item.key })
            }
          >
            <span className="hidden">{t("flags.elsewhereOf", { flag: item.key, ...counts })}</span>
            <span aria-hidden="true">{t("flags.onInOf", counts)}</span>
          </button>
        </span>
      )}
      {shared.stale ? (
        <Why item={item} stop={stop(last + 1)} archive={shared.archive} />
      ) : (
        <Tags tags={item.tags} stop={stop(last + 1)} />
      )}
      <Changed changed={item.changed ?? undefined} stop={stop(last + 2)} />
      <span role="gridcell" className={`${classes.cell} ${classes.menu}`}>
        <button
          type="button"
          className={classes.dots}
          {...stop(last + 3)}
          aria-haspopup="dialog"
          aria-label={t("flags.actionsOf", { flag: item.key })}
          onClick={({ currentTarget }) =>
            open({ kind: "menu", anchor: currentTarget, flag: item.key })
          }
        >
          ⋯
        </button>
      </span>
    </div>
  );
});
