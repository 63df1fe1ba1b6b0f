import { useTranslation } from "react-i18next";
import type { PropertyTypes } from "@/lib/property-type";
import classes from "./user-properties.module.css";

interface Props {
  of: Record<string, string>;
  types?: PropertyTypes | undefined;
}

/** What somebody has, by name. Whatever programs send is text: long, empty, of any script. */
export function UserProperties({ of, types = {} }: Props) {
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
          <dd>
            {value === "" ? <em>{t("why.empty")}</em> : <bdi>{value}</bdi>}
            {types[name] && (
              <em className={classes.type}>{t(`why.propertyType.${types[name]}`)}</em>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
