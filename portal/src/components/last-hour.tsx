import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { countsQuery } from "@/lib/api/flag";
import { useFormat } from "@/lib/format";
import { type Flag, labelOf } from "@/lib/model/flag";
import classes from "./quick-edit.module.css";

interface Props {
  organization: string;
  project: string;
  environment: string;
  flag: Flag;
}

/** Whom it touches: what programs were given of late. */
export function LastHour({ organization, project, environment, flag }: Props) {
  const { t } = useTranslation();
  const { number, list } = useFormat();
  const counts = useQuery(countsQuery(organization, project, environment, flag.key, "hour"));
  if (!counts.data) return null;
  const { totals } = counts.data;
  const served = Object.entries(totals).filter(([, count]) => count > 0);
  const count = served.reduce((sum, [, one]) => sum + one, 0);
  const name = (id: string) => labelOf(flag.variations.find((it) => it.id === id));
  return (
    <p className={classes.hour}>
      {count === 0
        ? t("quick.hourNone", { environment })
        : t("quick.hour", {
            count,
            number: number(count),
            parts: list(
              served
                .toSorted((a, b) => b[1] - a[1])
                .map(([id, one]) =>
                  t("quick.hourPart", { variation: name(id), number: number(one) }),
                ),
            ),
          })}
    </p>
  );
}
