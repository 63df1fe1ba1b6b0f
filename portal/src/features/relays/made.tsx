import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { CopyButton } from "@/components/copy";
import { commandOf } from "./relays";
import classes from "./relays.module.css";

interface Props {
  secret: string;
  /** What is to be known of it. */
  says: string;
  close: () => void;
}

/** A key's secret, told this once; and how a relay is started with it. */
export function Made({ secret, says, close }: Props) {
  const { t } = useTranslation();
  const command = commandOf(globalThis.location.origin, secret);
  return (
    <div className={classes.form}>
      <p role="status">{says}</p>
      <div className={classes.text}>
        <code>{secret}</code>
        <CopyButton look="primary" text={secret} label={t("relays.copy")} />
      </div>
      <p className={classes.note}>{t("relays.use")}</p>
      <div className={classes.text}>
        <code>{command}</code>
        <CopyButton text={command} label={t("relays.copyCommand")} />
      </div>
      <div>
        <Button onClick={close}>{t("people.done")}</Button>
      </div>
    </div>
  );
}
