import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { TextField } from "@/components/field";
import { Wrong } from "@/components/states";
import { api } from "@/lib/api/client";
import classes from "./session.module.css";

/** Asks for a link for a new password. Whether there is such an account is not told. */
export function Forgotten() {
  const { t } = useTranslation();
  const [email, setEmail] = useState("");
  const send = useMutation({
    mutationFn: () => api("").POST("/api/v1/session/reset", { body: { email } }),
  });
  if (send.isSuccess) return <p role="status">{t("session.linkSent", { email })}</p>;
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        send.mutate();
      }}
    >
      <TextField
        label={t("session.email")}
        inputMode="email"
        autoComplete="username"
        required
        autoFocus
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <Wrong error={send.error} />
      <Button look="primary" type="submit" busy={send.isPending}>
        {t("session.sendLink")}
      </Button>
    </form>
  );
}
