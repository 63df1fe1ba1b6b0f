import { useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import {
  PROPERTY_TYPES,
  type PropertyType,
  type PropertyTypes,
  readsAs,
} from "@/lib/property-type";
import { Button } from "./button";
import classes from "./property-rows.module.css";

interface Props {
  /** What they begin with. */
  values: Record<string, string>;
  types: PropertyTypes;
  /** Names that are offered. */
  names: string[];
  /** Told when nobody types any more. */
  change: (values: Record<string, string>, types: PropertyTypes) => void;
}

interface Row {
  name: string;
  value: string;
  type?: PropertyType | undefined;
}

const QUIET_MS = 250;
const NEW: Row = { name: "", value: "" };

/** Properties to try: a row for each. One that is not there was never sent; one may be empty. */
export function PropertyRows({ values, types, names, change }: Props) {
  const { t } = useTranslation();
  const list = useId();
  const [rows, setRows] = useState<Row[]>(() => {
    const begin = Object.entries(values).map(([name, value]) => ({
      name,
      value,
      type: types[name],
    }));
    return begin.length > 0 ? begin : [NEW];
  });
  const timer = useRef(0);

  function edit(next: Row[]) {
    setRows(next);
    clearTimeout(timer.current);
    const named = next.filter((it) => it.name !== "");
    const told = Object.fromEntries(named.map((it) => [it.name, it.value]));
    // What is half written is a text until it reads as its type again.
    const typed = named.flatMap(({ name, value, type }) =>
      type !== undefined && readsAs(value, type) ? [[name, type] as const] : [],
    );
    timer.current = window.setTimeout(() => change(told, Object.fromEntries(typed)), QUIET_MS);
  }
  const set = (index: number, part: Partial<Row>) =>
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
          <span className={classes.value}>
            <input
              className={classes.input}
              aria-label={t("why.propertyValue", { name: row.name })}
              aria-invalid={(row.type && !readsAs(row.value, row.type)) || undefined}
              placeholder={t("why.empty")}
              dir="auto"
              value={row.value}
              onChange={(event) => set(index, { value: event.target.value })}
            />
            <TypeOf row={row} change={(type) => set(index, { type })} />
          </span>
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
        <Button small look="quiet" onClick={() => setRows([...rows, NEW])}>
          {t("why.addProperty")}
        </Button>
      </div>
    </div>
  );
}

interface TypeProps {
  row: Row;
  change: (type: PropertyType | undefined) => void;
}

/** What a value is meant as: asked where there is a choice. A name is always a text. */
function TypeOf({ row, change }: TypeProps) {
  const { t } = useTranslation();
  const may = PROPERTY_TYPES.filter((it) => it === row.type || readsAs(row.value, it));
  if (may.length === 0 || row.name === "name") return null;
  return (
    <select
      className={classes.type}
      aria-label={t("why.propertyType.of", { name: row.name })}
      value={row.type ?? ""}
      onChange={(event) => change(may.find((it) => it === event.target.value))}
    >
      <option value="">{t("why.propertyType.text")}</option>
      {may.map((it) => (
        <option key={it} value={it}>
          {t(`why.propertyType.${it}`)}
        </option>
      ))}
    </select>
  );
}
