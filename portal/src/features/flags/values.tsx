import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Letter, letterOf } from "@/components/variation";
import type { Schemas } from "@/lib/api/client";
import classes from "./create.module.css";

interface Props {
  type: Schemas["VariationType"];
  values: string[];
  change: (values: string[]) => void;
}

/** The values of a flag that is not a boolean one. */
export function Values({ type, values, change }: Props) {
  const { t } = useTranslation();
  return (
    <div className={classes.values}>
      {values.map((value, place) => (
        // Values are known by their place alone.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={place} className={classes.value}>
          <Letter place={place} />
          <input
            aria-label={t("create.value", { letter: letterOf(place) })}
            required
            inputMode={type === "number" ? "decimal" : "text"}
            placeholder={{ json: "{}", number: "0", string: "", boolean: "" }[type]}
            value={value}
            onChange={(event) => change(values.with(place, event.target.value))}
          />
          {values.length > 2 && (
            <Button
              small
              look="quiet"
              aria-label={t("create.removeValue", { letter: letterOf(place) })}
              onClick={() => change(values.toSpliced(place, 1))}
            >
              ✕
            </Button>
          )}
        </div>
      ))}
      <div>
        <Button small onClick={() => change([...values, ""])}>
          {t("create.addValue")}
        </Button>
      </div>
    </div>
  );
}
