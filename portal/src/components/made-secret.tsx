import { useTranslation } from "react-i18next";
import { Button } from "./button";
import { CopyButton } from "./copy";
import classes from "./made-secret.module.css";

interface Copied {
  text: string;
  /** What the button that copies it says. */
  copy: string;
}

interface Props {
  /** What is to be known of it. */
  says: string;
  secret: Copied;
  /** What the command is for. */
  use: string;
  command: Copied;
  close: () => void;
}

/** A secret, told this once, and a command that uses it. */
export function MadeSecret({ says, secret, use, command, close }: Props) {
  const { t } = useTranslation();
  return (
    <div className={classes.parts}>
      <p role="status">{says}</p>
      <div className={classes.text}>
        <code>{secret.text}</code>
        <CopyButton look="primary" text={secret.text} label={secret.copy} />
      </div>
      <p className={classes.use}>{use}</p>
      <div className={classes.text}>
        <code>{command.text}</code>
        <CopyButton text={command.text} label={command.copy} />
      </div>
      <div>
        <Button onClick={close}>{t("people.done")}</Button>
      </div>
    </div>
  );
}
