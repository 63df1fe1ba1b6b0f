import { useTranslation } from "react-i18next";
import classes from "./environment-tabs.module.css";

/** On, off or not released: in words, and never alike. */
export function State({ of }: { of: { on: boolean } | undefined }) {
  const { t } = useTranslation();
  const state = of ? (of.on ? "on" : "off") : "notReleased";
  return (
    <small className={classes.state} data-state={state}>
      {t(`flags.${state}`)}
    </small>
  );
}
