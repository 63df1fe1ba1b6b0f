import { useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { TextField } from "@/components/field";
import { Wrong } from "@/components/states";
import { api } from "@/lib/api/client";
import { meQuery } from "@/lib/api/queries";

interface Props {
  /** What somebody signed in with a moment ago: it is not asked for again. */
  known: string | undefined;
  done: () => void;
}

/** A new password, in place of one that somebody else knows. */
export function PasswordForm({ known, done }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [current, setCurrent] = useState(known ?? "");
  const [chosen, setChosen] = useState("");
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);

  async function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    setBusy(true);
    try {
      await api("").POST("/api/v1/me/password", { body: { current, new: chosen } });
      await queries.refetchQueries({ queryKey: meQuery.queryKey });
      done();
    } catch (refused) {
      setError(refused);
    } finally {
      setBusy(false);
    }
  }

  return (
    <form onSubmit={(event) => void submit(event)}>
      <p>{t("session.mustChange")}</p>
      {known === undefined && (
        <TextField
          label={t("session.currentPassword")}
          type="password"
          autoComplete="current-password"
          required
          autoFocus
          value={current}
          onChange={(event) => setCurrent(event.target.value)}
        />
      )}
      <NewPassword value={chosen} change={setChosen} focus={known !== undefined} />
      <Wrong error={error} />
      <Button look="primary" type="submit" busy={busy}>
        {t("session.setPassword")}
      </Button>
    </form>
  );
}

interface NewProps {
  value: string;
  change: (it: string) => void;
  focus?: boolean;
}

/** The field of a password that is chosen. */
export function NewPassword({ value, change, focus = false }: NewProps) {
  const { t } = useTranslation();
  return (
    <TextField
      label={t("session.newPassword")}
      help={t("session.passwordRule")}
      type="password"
      autoComplete="new-password"
      required
      minLength={10}
      autoFocus={focus}
      value={value}
      onChange={(event) => change(event.target.value)}
    />
  );
}
