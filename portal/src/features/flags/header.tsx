import { useTranslation } from "react-i18next";
import { EnvironmentName } from "@/components/environment";
import { EnvironmentMenu } from "@/components/environment-menu";
import type { Filter, Sort } from "@/lib/filter";
import classes from "./flags.module.css";
import type { RowShared } from "./row";
import type { Selection } from "./selection";

interface Props extends RowShared {
  count: number;
  selection: Selection;
  filter: Filter;
  sort: (next: Sort) => void;
}

/** What the columns are; two of them say the order. */
export function Header(props: Props) {
  const { environments, whole, columns, stale, count, selection, filter, sort } = props;
  const { t } = useTranslation();
  const chosen = selection.selected.length;
  const by = (name: "name" | "changed") => (
    <SortBy name={name} now={filter.sort ?? "name"} sort={sort} />
  );
  return (
    <div role="rowgroup" className={classes.top}>
      <div
        className={classes.header}
        role="row"
        aria-rowindex={1}
        style={{ gridTemplateColumns: columns }}
      >
        <span role="columnheader">
          <label className={classes.check}>
            <span className="hidden">{t("flags.selectAll", { count })}</span>
            <input
              type="checkbox"
              checked={chosen === count}
              ref={(it) => {
                if (it) it.indeterminate = chosen > 0 && chosen < count;
              }}
              onChange={() => (chosen === count ? selection.clear() : selection.all())}
            />
          </label>
        </span>
        {by("name")}
        {environments.map((it) => (
          <span role="columnheader" key={it.key} className={classes.inset}>
            <EnvironmentMenu
              organization={props.organization}
              project={props.project}
              environment={it.key}
            >
              <EnvironmentName of={it} />
            </EnvironmentMenu>
          </span>
        ))}
        {whole > environments.length && (
          <span role="columnheader" className={classes.inset}>
            {t("flags.elsewhere")}
          </span>
        )}
        <span role="columnheader">{t(stale ? "flags.why" : "flags.tags")}</span>
        {by("changed")}
        <span role="columnheader">
          <span className="hidden">{t("flags.actions")}</span>
        </span>
      </div>
    </div>
  );
}

interface SortProps {
  name: "name" | "changed";
  now: Sort;
  sort: (next: Sort) => void;
}

function SortBy({ name, now, sort }: SortProps) {
  const { t } = useTranslation();
  const is = now === name;
  const reversed = now === `-${name}`;
  // Names rise from A on, moments fall from the newest on.
  const rises = name === "name" ? is : reversed;
  const order = is || reversed ? (rises ? "ascending" : "descending") : "none";
  return (
    <span role="columnheader" aria-sort={order}>
      <button type="button" className={classes.sort} onClick={() => sort(is ? `-${name}` : name)}>
        {t(`flags.${name}`)}
        <span aria-hidden="true">{order === "none" ? "" : rises ? "↑" : "↓"}</span>
      </button>
    </span>
  );
}
