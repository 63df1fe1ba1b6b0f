import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import classes from "./item-changes.module.css";

/** What differs, part by part, as the API has it: before and after. */
export function ItemChanges({
  of,
  leftOut = 0,
}: {
  of: Schemas["ItemChange"][];
  leftOut?: number;
}) {
  const { t } = useTranslation();
  return (
    <div className={classes.items}>
      {of.map(({ scope, key, id, parts }) => (
        <table key={`${scope} ${id}`} className={classes.table}>
          <caption>
            <code>{key}</code> {scope.split("/")[1] ?? scope}
          </caption>
          <thead>
            <tr>
              <th scope="col">{t("parts.part")}</th>
              <th scope="col">{t("parts.before")}</th>
              <th scope="col">{t("parts.after")}</th>
            </tr>
          </thead>
          <tbody>
            {parts.map(({ facet, before, after, cut }) => (
              <tr key={JSON.stringify(facet)}>
                <th scope="row">
                  {t(`parts.facets.${nameOf(facet)}` as "parts.facets.onOff")}
                  {cut && <span className={classes.cut}>{t("parts.cut")}</span>}
                </th>
                <td>
                  <Value of={before} />
                </td>
                <td>
                  <Value of={after} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      ))}
      {leftOut > 0 && <p>{t("parts.leftOut", { count: leftOut })}</p>}
    </div>
  );
}

const nameOf = (facet: unknown): string =>
  typeof facet === "object" && facet !== null ? (Object.keys(facet)[0] ?? "") : String(facet);

function Value({ of }: { of: unknown }) {
  const { t } = useTranslation();
  if (of == null) return <span className={classes.nothing}>{t("parts.nothing")}</span>;
  if (typeof of === "boolean") return t(of ? "flags.on" : "flags.off");
  return <code>{typeof of === "string" ? of : JSON.stringify(of, null, 1)}</code>;
}
