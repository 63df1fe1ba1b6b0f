import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Letter, letterOf } from "@/components/variation";
import type { Flag, Variation, WholeFlag } from "@/lib/model/flag";
import classes from "./flag.module.css";
import { editFlag } from "./use-flag";
import { wrongValue } from "@/lib/model/value";

/** What a flag can serve, in all environments. */
export function Variations({ server, flag }: { server: WholeFlag; flag: Flag }) {
  const { t } = useTranslation();
  const set = (variations: Variation[]) => editFlag(server, (it) => ({ ...it, variations }));
  const change = (place: number, next: Variation) => set(flag.variations.with(place, next));
  return (
    <>
      <ul className={classes.variations}>
        {flag.variations.map((variation, place) => {
          const wrong = wrongValue(flag.type, variation.value);
          return (
            <li key={variation.id} className={classes.variation}>
              <Letter place={place} />
              <input
                className={classes.control}
                aria-label={t("flag.variationName", { letter: letterOf(place) })}
                placeholder={t("flag.noName")}
                value={variation.name ?? ""}
                onChange={(event) =>
                  change(place, { ...variation, name: event.target.value || null })
                }
              />
              <textarea
                className={`${classes.control} ${classes.value}`}
                aria-label={t("create.value", { letter: letterOf(place) })}
                aria-invalid={wrong !== undefined}
                rows={1}
                readOnly={flag.type === "boolean"}
                value={variation.value}
                onChange={(event) => change(place, { ...variation, value: event.target.value })}
              />
              {flag.variations.length > 2 && (
                <Button
                  small
                  look="quiet"
                  aria-label={t("create.removeValue", { letter: letterOf(place) })}
                  onClick={() => set(flag.variations.toSpliced(place, 1))}
                >
                  ✕
                </Button>
              )}
              {wrong && (
                <span role="alert" className={classes.wrong}>
                  {t(`flag.wrong.${wrong}`)}
                </span>
              )}
            </li>
          );
        })}
      </ul>
      {flag.type !== "boolean" && (
        <Button
          small
          onClick={() =>
            set([...flag.variations, { id: crypto.randomUUID(), name: null, value: "" }])
          }
        >
          {t("create.addValue")}
        </Button>
      )}
    </>
  );
}
