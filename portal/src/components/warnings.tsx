import { useTranslation } from "react-i18next";
import classes from "./warnings.module.css";

interface Warning {
  code: string;
  message: string;
}

/** What somebody should know, and what does not stop them. */
export function Warnings({ of }: { of: Warning[] }) {
  const { t } = useTranslation();
  if (of.length === 0) return null;
  return (
    <ul className={classes.warnings} aria-label={t("warning.title")}>
      {of.map(({ code, message }) => (
        <li key={`${code} ${message}`}>
          {t(`warning.codes.${code}` as "warning.codes.uncovered", { defaultValue: message })}
        </li>
      ))}
    </ul>
  );
}
