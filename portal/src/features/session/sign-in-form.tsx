import { useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { TextField } from "@/components/field";
import { Wrong } from "@/components/states";
import { Refused, type Schemas, api, dataOf } from "@/lib/api/client";
import { meQuery } from "@/lib/api/queries";

interface Props {
  /** Whose session ended; anybody's where absent. */
  email?: string;
  done: (me: Schemas["Me"], password: string) => void;
}

/** E-mail, password and, where the account has one, the code of the second factor. */
export function SignInForm({ email: known, done }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [email, setEmail] = useState(known ?? "");
  const [password, setPassword] = useState("");
  const [code, setCode] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);

  async function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    setBusy(true);
    try {
      const body = code === undefined ? { email, password } : { email, password, code };
      const me = dataOf(await api("").POST("/api/v1/session", { body }));
      queries.setQueryData(meQuery.queryKey, me);
      done(me, password);
    } catch (refused) {
      const codeNeeded = refused instanceof Refused && refused.problem?.code === "codeNeeded";
      if (codeNeeded && code === undefined) setCode("");
      else setError(refused);
    } finally {
      setBusy(false);
    }
  }

  return (
    <form onSubmit={(event) => void submit(event)}>
      <TextField
        label={t("session.email")}
        type="text"
        inputMode="email"
        autoComplete="username"
        required
        autoFocus={known === undefined}
        value={email}
        disabled={known !== undefined}
        onChange={(event) => setEmail(event.target.value)}
      />
      <TextField
        label={t("session.password")}
        type="password"
        autoComplete="current-password"
        required
        autoFocus={known !== undefined}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      {code !== undefined && (
        <TextField
          label={t("session.code")}
          help={t("session.codeHelp")}
          autoComplete="one-time-code"
          required
          autoFocus
          mono
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
      )}
      <Wrong error={error} />
      <Button look="primary" type="submit" busy={busy}>
        {t("session.signIn")}
      </Button>
    </form>
  );
}
