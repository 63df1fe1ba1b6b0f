import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import { Ago } from "@/components/ago";
import type { Schemas } from "@/lib/api/client";
import { flagQuery } from "@/lib/api/queries";
import { Cell } from "./cell";
import classes from "./flags.module.css";
import type { Opened } from "./list";

interface Props {
  organization: string;
  project: string;
  environments: Schemas["EnvironmentView"][];
  item: Schemas["IndexedFlagView"];
  row: number;
  top: number;
  height: number;
  columns: string;
  /** The column that Tab stops at; none where negative. */
  active: number;
  edited: boolean;
  open: (at: Opened) => void;
}

/** A flag: its name, what it does in each environment that is shown, and its last change. */
export const Row = memo(function Row(props: Props) {
  const { organization, project, environments, item, row, active, open } = props;
  const { t } = useTranslation();
  const queries = useQueryClient();
  const first = environments[0]?.key;
  const tab = (column: number) => (active === column ? 0 : -1);
  const look = () => void queries.prefetchQuery(flagQuery(organization, project, item.key));
  const params = { organization, project, flag: item.key };
  const shared = {
    className: classes.name,
    tabIndex: tab(0),
    "data-row": row,
    "data-column": 0,
  };
  const name = (
    <>
      <span className={classes.title}>{item.name}</span>
      {item.name !== item.key && <code className={classes.key}>{item.key}</code>}
      {props.edited && <span className={classes.edited}>{t("flags.edited")}</span>}
    </>
  );
  return (
    <div
      className={classes.row}
      role="row"
      aria-rowindex={row + 2}
      style={{ top: props.top, height: props.height, gridTemplateColumns: props.columns }}
      onPointerEnter={look}
    >
      <span role="rowheader" className={classes.cell}>
        {first === undefined ? (
          <Link to="/$organization/$project/flags/$flag" params={params} {...shared}>
            {name}
          </Link>
        ) : (
          <Link
            to="/$organization/$project/flags/$flag/$environment"
            params={{ ...params, environment: first }}
            {...shared}
          >
            {name}
          </Link>
        )}
      </span>
      {environments.map((environment, index) => (
        <Cell
          key={environment.key}
          environment={environment.key}
          cell={item.cells[index] ?? null}
          item={item}
          row={row}
          column={index + 1}
          tabIndex={tab(index + 1)}
          open={open}
        />
      ))}
      <span role="cell" className={`${classes.cell} ${classes.tags}`}>
        {item.tags.join(", ")}
      </span>
      <span role="cell" className={`${classes.cell} ${classes.changed}`}>
        {item.changed && (
          <Link
            to="/$organization/changes/$id"
            params={{ organization, id: String(item.changed.number) }}
            tabIndex={-1}
            title={t("flags.changedBy", { by: item.changed.by })}
          >
            <Ago at={item.changed.at} />
          </Link>
        )}
      </span>
    </div>
  );
});
