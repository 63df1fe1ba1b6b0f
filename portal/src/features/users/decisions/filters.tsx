import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { SettledText } from "@/components/settled-text";
import type { DecisionFilter } from "@/lib/decision-filter";
import classes from "./decisions.module.css";

interface Props {
  filter: DecisionFilter;
  change: (filter: DecisionFilter) => void;
}

/** Who, what and when: what of it is said must all hold. */
export function Filters({ filter, change }: Props) {
  const { t } = useTranslation();
  function set(name: keyof DecisionFilter, value: string) {
    const { [name]: _, ...rest } = filter;
    change(value === "" ? rest : { ...rest, [name]: value });
  }
  const text = (name: "user" | "flag") => (
    <SettledText
      wide
      label={t(`decisions.filter.${name}`)}
      value={filter[name] ?? ""}
      change={(value) => set(name, value)}
    />
  );
  const day = (name: "from" | "to") => (
    <label className={classes.day}>
      {t(`decisions.filter.${name}`)}
      <input
        type="date"
        data-set={filter[name] !== undefined || undefined}
        value={filter[name] ?? ""}
        onChange={(event) => set(name, event.target.value)}
      />
    </label>
  );
  return (
    <search className={classes.filters} aria-label={t("decisions.filter.title")}>
      {text("user")}
      {text("flag")}
      {day("from")}
      {day("to")}
      {Object.keys(filter).length > 0 && (
        <Button small look="quiet" onClick={() => change({})}>
          {t("decisions.clear")}
        </Button>
      )}
    </search>
  );
}
