import { useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "./button";
import classes from "./property-rows.module.css";

interface Props {
  /** What they begin with. */
  values: Record<string, string>;
  /** Names that are offered. */
  names: string[];
  /** Told when nobody types any more. */
  change: (values: Record<string, string>) => void;
}

const QUIET_MS = 250;

/** Properties to try: a row for each. One that is not there was never sent; one may be empty. */
export function PropertyRows({ values, names, change }: Props) {
  const { t } = useTranslation();
  const list = useId();
  const [rows, setRows] = useState(() => {
    const begin = Object.entries(values).map(([name, value]) => ({ name, value }));
    return begin.length > 0 ? begin : [{ name: "", value: "" }];
  });
  const timer = useRef(0);

  function edit(next: typeof rows) {
    setRows(next);
    clearTimeout(timer.current);
    const named = next.filter((it) => it.name !== "");
    const told = Object.fromEntries(named.map((it) => [it.name, it.value]));
    timer.current = window.setTimeout(() => change(told), QUIET_MS);
  }
  const set = (index: number, part: Partial<(typeof rows)[number]>) =>
    edit(rows.map((row, at) => (at === index ? { ...row, ...part } : row)));

  return (
    <div className={classes.rows}>
      {rows.map((row, index) => (
        // Rows have no ids; their order is theirs alone.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={index} className={classes.row}>
          <input
            className={classes.input}
            aria-label={t("why.propertyName")}
            placeholder={t("why.propertyName")}
            list={list}
            dir="auto"
            value={row.name}
            onChange={(event) => set(index, { name: event.target.value })}
          />
          <input
            className={classes.input}
            aria-label={t("why.propertyValue", { name: row.name })}
            placeholder={t("why.empty")}
            dir="auto"
            value={row.value}
            onChange={(event) => set(index, { value: event.target.value })}
          />
          <Button
            small
            look="quiet"
            aria-label={t("action.remove", { value: row.name })}
            onClick={() => edit(rows.toSpliced(index, 1))}
          >
            ✕
          </Button>
        </div>
      ))}
      <datalist id={list}>
        <option value="name" />
        {names.map((it) => (
          <option key={it} value={it} />
        ))}
      </datalist>
      <div>
        <Button small look="quiet" onClick={() => setRows([...rows, { name: "", value: "" }])}>
          {t("why.addProperty")}
        </Button>
      </div>
    </div>
  );
}
