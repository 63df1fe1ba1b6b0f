import { useTranslation } from "react-i18next";
import classes from "./user-properties.module.css";

/** What somebody has, by name. Whatever programs send is text: long, empty, of any script. */
export function UserProperties({ of }: { of: Record<string, string> }) {
  const { t } = useTranslation();
  const entries = Object.entries(of);
  if (entries.length === 0) return <p className={classes.none}>{t("why.noProperties")}</p>;
  return (
    <dl className={classes.list}>
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>
            <bdi>{name === "" ? t("why.empty") : name}</bdi>
          </dt>
          <dd>{value === "" ? <em>{t("why.empty")}</em> : <bdi>{value}</bdi>}</dd>
        </div>
      ))}
    </dl>
  );
}
