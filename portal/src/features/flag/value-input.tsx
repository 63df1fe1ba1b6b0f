import { useId } from "react";
import { useTranslation } from "react-i18next";
import { listOf, type takes } from "@/lib/model/operators";
import { Chips } from "./chips";
import classes from "./flag.module.css";

interface Props {
  kind: ReturnType<typeof takes>;
  value: string | null;
  offered: string[];
  change: (value: string) => void;
}

/** What a condition compares with, in the form that its operator takes. */
export function ValueInput({ kind, value, offered, change }: Props) {
  const { t } = useTranslation();
  const list = useId();
  if (kind === "nothing") return null;
  if (kind === "list" || kind === "networks") {
    return (
      <Chips
        label={t("flag.value")}
        placeholder={t("flag.values")}
        values={listOf(value)}
        offered={offered}
        change={(items) => change(JSON.stringify(items))}
      />
    );
  }
  return (
    <>
      <input
        className={`${classes.control} ${classes.word}`}
        aria-label={t("flag.value")}
        placeholder={t("flag.value")}
        inputMode={kind === "number" ? "decimal" : "text"}
        list={list}
        value={value ?? ""}
        onChange={(event) => change(event.target.value)}
      />
      <datalist id={list}>
        {offered.map((it) => (
          <option key={it} value={it} />
        ))}
      </datalist>
    </>
  );
}
