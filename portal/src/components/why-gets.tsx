import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import { type Flag, labelOf } from "@/lib/model/flag";
import { VariationLabel } from "./variation";
import classes from "./why.module.css";

/** A variation by its letter and name; where there is none, what programs do then. */
export function Gets({
  flag,
  variation,
}: {
  flag: Pick<Flag, "variations">;
  variation: Schemas["Variation"] | null | undefined;
}) {
  const { t } = useTranslation();
  if (!variation) return <em className={classes.nothing}>{t("effect.codeDefault")}</em>;
  const place = flag.variations.findIndex((it) => it.id === variation.id);
  const label = labelOf({ ...variation, name: variation.name ?? null });
  return (
    <strong className={classes.gets}>
      {place < 0 ? label : <VariationLabel place={place} label={label} />}
    </strong>
  );
}
