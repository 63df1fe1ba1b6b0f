import { useTranslation } from "react-i18next";
import type { Warning } from "@/components/warnings";
import { useFormat } from "@/lib/format";
import classes from "./review.module.css";

/** So many flags are named beside the buttons; the panel names all. */
const NAMED = 3;
const PLACES = 2;

/** Flags that would be put away though programs asked for them in the last days. */
export function StillAsked({ warnings }: { warnings: Warning[] }) {
  const { t } = useTranslation();
  const { list, number } = useFormat();
  const asked = warnings.flatMap(({ code, params = {} }) => {
    const { flag, evaluations, environments } = params;
    if (code !== "flagStillEvaluated" || !flag || !evaluations || !environments) return [];
    return [{ flag, count: Number(evaluations), environments: environments.split(",") }];
  });
  if (asked.length === 0) return null;
  const some = (items: string[], most: number) =>
    items.length > most
      ? list([...items.slice(0, most), t("review.more", { count: items.length - most })])
      : list(items);
  const flags = asked
    .toSorted((one, other) => other.count - one.count)
    .map(({ flag, count, environments }) =>
      t("review.askedFor", {
        flag,
        count,
        number: number(count),
        environments: some(environments, PLACES),
      }),
    );
  return (
    <span className={classes.asked}>{t("review.stillAsked", { flags: some(flags, NAMED) })}</span>
  );
}
