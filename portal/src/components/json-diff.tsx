import { useTranslation } from "react-i18next";
import type { JsonChange } from "@/lib/model/json-diff";
import classes from "./json-diff.module.css";

/** So many changes are shown. */
const SHOWN = 20;

/** What differs between two JSON values: the path, what was there and what is. */
export function JsonDiff({ of }: { of: JsonChange[] }) {
  const { t } = useTranslation();
  const shown = of.slice(0, SHOWN);
  return (
    <ul className={classes.changes}>
      {shown.map(({ path, before, after }) => (
        <li key={`${path} ${before ?? ""} ${after ?? ""}`}>
          {path !== "" && <code className={classes.path}>{path}</code>}
          {before !== undefined && <del>{before}</del>}
          {after !== undefined && <ins>{after}</ins>}
        </li>
      ))}
      {of.length > SHOWN && <li>{t("revert.more", { count: of.length - SHOWN })}</li>}
    </ul>
  );
}
