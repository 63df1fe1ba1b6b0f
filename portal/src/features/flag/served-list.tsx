import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import type { Place, ServedIn } from "@/lib/model/served";
import classes from "./variations.module.css";

/** Where a variation is served, and that it stays until it is not. */
export function ServedList({ of }: { of: ServedIn[] }) {
  const { t } = useTranslation();
  const { list } = useFormat();
  const name = (place: Place) =>
    place.kind === "rule"
      ? place.name || t("flag.ruleNumber", { number: place.number })
      : t(`flag.servedBy.${place.kind}`);
  return (
    <>
      <p className={classes.help}>{t("flag.isServedHelp")}</p>
      <ul className={classes.served}>
        {of.map(({ environment, places }) => (
          <li key={environment}>
            <strong>{environment}</strong> {list(places.map(name))}
          </li>
        ))}
      </ul>
    </>
  );
}
