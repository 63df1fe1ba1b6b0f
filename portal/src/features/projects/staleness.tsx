import { useTranslation } from "react-i18next";
import { TextField } from "@/components/field";
import classes from "./projects.module.css";

interface Fields {
  /** The project has a number of its own. */
  own: boolean;
  staleDays: string;
}

interface Props {
  value: Fields;
  /** What holds at present. */
  effective: number;
  set: (change: Partial<Fields>) => void;
}

/** When a flag of the project is stale. */
export function Staleness({ value, effective, set }: Props) {
  const { t } = useTranslation();
  const choice = (own: boolean) => (
    <label className={classes.check}>
      <input type="radio" name="stale" checked={value.own === own} onChange={() => set({ own })} />
      <span>{t(own ? "projects.staleOwn" : "projects.staleInherited")}</span>
    </label>
  );
  return (
    <fieldset className={classes.choices}>
      <legend>{t("projects.stale")}</legend>
      <p className={classes.quiet}>{t("projects.staleHelp", { count: effective })}</p>
      {choice(false)}
      {choice(true)}
      {value.own && (
        <TextField
          label={t("projects.days")}
          type="number"
          min={1}
          max={3650}
          required
          value={value.staleDays}
          onChange={(event) => set({ staleDays: event.target.value })}
        />
      )}
    </fieldset>
  );
}
