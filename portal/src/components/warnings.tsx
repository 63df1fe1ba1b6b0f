import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import { useNow } from "@/lib/now";
import classes from "./warnings.module.css";

export interface Warning {
  code: string;
  message: string;
  params?: Record<string, string>;
}

/** What somebody should know, and what does not stop them. */
export function Warnings({ of }: { of: Warning[] }) {
  const { t } = useTranslation();
  if (of.length === 0) return null;
  return (
    <ul className={classes.warnings} aria-label={t("warning.title")}>
      {of.map((warning) => (
        <li key={`${warning.code} ${warning.message}`}>
          <Words of={warning} />
        </li>
      ))}
    </ul>
  );
}

function Words({ of: { code, message, params = {} } }: { of: Warning }) {
  const { t } = useTranslation();
  const { ago, list, number } = useFormat();
  const now = useNow();
  const { evaluations, lastEvaluatedAt, environments = "", flag = "" } = params;
  if (code === "flagStillEvaluated" && evaluations !== undefined && lastEvaluatedAt !== undefined) {
    return t("warning.stillEvaluated", {
      flag,
      count: Number(evaluations),
      evaluations: number(Number(evaluations)),
      when: ago(lastEvaluatedAt, now),
      environments: list(environments.split(",")),
    });
  }
  return t(`warning.codes.${code}` as "warning.codes.uncovered", { defaultValue: message });
}
