import { useTranslation } from "react-i18next";
import { CopyButton } from "@/components/copy";
import type { Schemas } from "@/lib/api/client";
import { useFormat } from "@/lib/format";
import { masked } from "./grace";
import { LastUse } from "./last-use";
import classes from "./sdk-keys.module.css";

interface Props {
  old: Schemas["SdkKeyView"];
  made: Schemas["SdkKeyView"];
  grace: number;
}

/** A key has a successor: what to put where, and how long there is. */
export function Rotated({ old, made, grace }: Props) {
  const { t } = useTranslation();
  const { moment } = useFormat();
  const ends = new Date(Date.parse(made.createdAt) + grace * 1_000).toISOString();
  return (
    <section className={classes.rotated} aria-label={t("sdkKeys.rotated", { name: made.name })}>
      <h2 role="status">{t("sdkKeys.rotated", { name: made.name })}</h2>
      <p>{grace === 0 ? t("sdkKeys.oldEnded") : t("sdkKeys.oldWorks", { at: moment(ends) })}</p>
      <LastUse of={old} />
      {made.secret !== "" && (
        <div className={classes.shown}>
          <code className={classes.secret}>{masked(made.secret)}</code>
          <CopyButton text={made.secret} label={t("sdkKeys.copyNew")} look="primary" />
        </div>
      )}
    </section>
  );
}
