import { useTranslation } from "react-i18next";
import { Ago } from "@/components/ago";
import type { Schemas } from "@/lib/api/client";
import classes from "./changes.module.css";

/** Why a request stopped, and what starts it again. */
export function StoppedNote({ stopped }: { stopped: Schemas["Stop"] }) {
  const { t } = useTranslation();
  return (
    <div className={classes.stopped} role="note">
      <p>
        <strong>{t("request.stoppedAt", { step: stopped.step })}</strong> <Ago at={stopped.at} />
      </p>
      <p>
        {t(`stopped.${stopped.code}` as "stopped.late", {
          ...stopped.params,
          defaultValue: stopped.text,
        })}
      </p>
      <p className={classes.quiet}>{t("stopped.help")}</p>
    </div>
  );
}
