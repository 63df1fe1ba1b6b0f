import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import { useFormat } from "@/lib/format";
import classes from "./segments.module.css";

interface Props {
  organization: string;
  detail: Schemas["SegmentDetail"];
}

/** The flags whose rules name it, each where it does. */
export function UsedBy({ organization, detail }: Props) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const { usedBy, usedByHidden } = detail;
  if (usedBy.length === 0 && usedByHidden === 0) {
    return <p className={classes.quiet}>{t("segments.unused")}</p>;
  }
  return (
    <>
      <ul className={classes.used}>
        {usedBy.map(({ project, flag, environments, state }) => (
          <li key={`${project} ${flag}`}>
            <Link to="/$organization/$project/flags/$flag" params={{ organization, project, flag }}>
              <code>{flag}</code>
            </Link>
            {environments.map((environment) => (
              <Link
                key={environment}
                className={`${classes.tag} reach`}
                to="/$organization/$project/flags/$flag/$environment"
                params={{ organization, project, flag, environment }}
              >
                {environment}
              </Link>
            ))}
            {state === "archived" && (
              <span className={classes.quiet}>{t("segments.isArchived")}</span>
            )}
          </li>
        ))}
      </ul>
      {usedByHidden > 0 && (
        <p className={classes.quiet}>
          {t("segments.usedHidden", { count: usedByHidden, number: number(usedByHidden) })}
        </p>
      )}
    </>
  );
}
