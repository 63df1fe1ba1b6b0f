import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Mark } from "@/components/mark";
import { LANGUAGES, type Language, speak } from "@/i18n";
import { useTitle } from "@/lib/title";
import classes from "./session.module.css";

/** The page of somebody who is not in yet. */
export function Frame({ title, children }: { title: string; children: ReactNode }) {
  useTitle(title);
  const { i18n, t } = useTranslation();
  return (
    <main className={classes.frame}>
      <div className={classes.card}>
        <div className={classes.mark}>
          <Mark size={24} />
          Burgee
        </div>
        <h1>{title}</h1>
        {children}
      </div>
      <select
        className={classes.language}
        aria-label={t("shell.language")}
        value={i18n.language}
        onChange={(event) => void speak(event.target.value as Language)}
      >
        {Object.entries(LANGUAGES).map(([language, name]) => (
          <option key={language} value={language} lang={language}>
            {name}
          </option>
        ))}
      </select>
    </main>
  );
}
