import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { TextField } from "@/components/field";
import { Wrong } from "@/components/states";
import classes from "./account.module.css";

interface Props {
  password: string;
  setPassword: (password: string) => void;
  error: unknown;
  busy: boolean;
  command: string;
  look: "primary" | "danger";
  close: () => void;
}

/** How a form about the second factor ends: with the password, and what it does. */
export function FormEnd({ password, setPassword, error, busy, command, look, close }: Props) {
  const { t } = useTranslation();
  return (
    <>
      <TextField
        label={t("account.current")}
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      <Wrong error={error} />
      <div className={classes.buttons}>
        <Button type="submit" look={look} busy={busy}>
          {command}
        </Button>
        <Button look="quiet" onClick={close}>
          {t("action.cancel")}
        </Button>
      </div>
    </>
  );
}
