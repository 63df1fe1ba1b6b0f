import { useId } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { useFault } from "@/components/fault";
import { Letter, letterOf } from "@/components/variation";
import type { Schemas } from "@/lib/api/client";
import { wrongValue } from "@/lib/model/value";
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
    <fieldset className={classes.values}>
      <legend>{t("create.values")}</legend>
      {values.map((value, place) => (
        <Value
          // Values are known by their place alone.
          // oxlint-disable-next-line react/no-array-index-key
          key={place}
          type={type}
          place={place}
          value={value}
          change={(next) => change(values.with(place, next))}
          remove={values.length > 2 ? () => change(values.toSpliced(place, 1)) : undefined}
        />
      ))}
      <div>
        <Button small onClick={() => change([...values, ""])}>
          {t("create.addValue")}
        </Button>
      </div>
    </fieldset>
  );
}

interface ValueProps {
  type: Schemas["VariationType"];
  place: number;
  value: string;
  change: (value: string) => void;
  remove: (() => void) | undefined;
}

function Value({ type, place, value, change, remove }: ValueProps) {
  const { t } = useTranslation();
  const id = useId();
  const letter = letterOf(place);
  const { fault, watch } = useFault(value);
  const code = value === "" ? undefined : wrongValue(type, value);
  const wrong = code ? t(`create.wrong.${code}`) : fault;
  const shared = {
    ...watch,
    "aria-label": t("create.value", { letter }),
    "aria-invalid": wrong !== undefined || undefined,
    "aria-describedby": id,
    required: type !== "string",
    value,
  };
  return (
    <div className={classes.value}>
      <Letter place={place} />
      {type === "json" ? (
        <textarea
          {...shared}
          rows={2}
          placeholder='{"colour": "blue"}'
          onChange={(event) => change(event.target.value)}
        />
      ) : (
        <input
          {...shared}
          inputMode={type === "number" ? "decimal" : "text"}
          placeholder={type === "number" ? "0" : t("create.emptyText")}
          onChange={(event) => change(event.target.value)}
        />
      )}
      {remove && (
        <Button
          small
          look="quiet"
          aria-label={t("create.removeValue", { letter })}
          onClick={remove}
        >
          ✕
        </Button>
      )}
      <span id={id} className={classes.wrong}>
        {wrong}
      </span>
    </div>
  );
}
