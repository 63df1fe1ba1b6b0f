import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { CopyButton } from "@/components/copy";
import { Wrong } from "@/components/states";
import classes from "./members.module.css";

export interface Outcome {
  email: string;
  link?: string | undefined;
  mailed: boolean;
  copied: boolean;
  error?: unknown;
}

interface Props {
  outcomes: Outcome[];
  more: () => void;
  close: () => void;
}

/** The links, told this once; and who could not be invited, and why. */
export function Invited({ outcomes, more, close }: Props) {
  const { t } = useTranslation();
  const made = outcomes.filter((it) => it.link !== undefined);
  const copied = made.some((it) => it.copied);
  return (
    <div className={classes.form}>
      {made.length > 0 && (
        <p role="status">
          {t(copied ? "people.copied" : "people.notCopied", { count: made.length })}
        </p>
      )}
      <ul className={classes.links}>
        {outcomes.map(({ email, link, mailed, error }) => (
          <li key={email}>
            <strong>{email}</strong>
            {mailed && <span className={classes.quiet}>{t("people.mailed")}</span>}
            <Wrong error={error} />
            {link !== undefined && (
              <span className={classes.link}>
                <code>{link}</code>
                <CopyButton text={link} label={t("people.copyLink")} />
              </span>
            )}
          </li>
        ))}
      </ul>
      <div className={classes.buttons}>
        <Button look="primary" data-autofocus onClick={close}>
          {t("people.done")}
        </Button>
        <Button onClick={more}>{t("people.inviteMore")}</Button>
      </div>
    </div>
  );
}
