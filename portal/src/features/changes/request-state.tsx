import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import classes from "./changes.module.css";

/** Where a request is, in a word. */
export function RequestState({ state }: { state: Schemas["State"] }) {
  const { t } = useTranslation();
  return (
    <span className={classes.state} data-state={state}>
      {t(`request.states.${state}`)}
    </span>
  );
}
