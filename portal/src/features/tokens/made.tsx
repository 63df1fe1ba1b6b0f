import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { CopyButton } from "@/components/copy";
import type { Schemas } from "@/lib/api/client";
import classes from "./tokens.module.css";

/** A token's text, told this once; and how it is sent. */
export function MadeToken({ token, close }: { token: Schemas["TokenView"]; close: () => void }) {
  const { t } = useTranslation();
  const text = token.token ?? "";
  const address = globalThis.location.origin;
  const curl = `curl -H "Authorization: Bearer $BURGEE_TOKEN" ${address}/api/v1/projects`;
  return (
    <div className={classes.form}>
      <p role="status">{t("token.once")}</p>
      <div className={classes.text}>
        <code>{text}</code>
        <CopyButton look="primary" text={text} label={t("token.copy")} />
      </div>
      <p className={classes.help}>{t("token.use")}</p>
      <div className={classes.text}>
        <code>{curl}</code>
        <CopyButton text={curl} label={t("token.copyCurl")} />
      </div>
      <div>
        <Button onClick={close}>{t("people.done")}</Button>
      </div>
    </div>
  );
}
