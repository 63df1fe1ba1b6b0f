import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { TextField } from "@/components/field";
import { Wrong } from "@/components/states";
import { api } from "@/lib/api/client";
import classes from "./account.module.css";

/** The second factor is taken away by whoever has it, and the password. */
export function TurnOff({ done, close }: { done: () => void; close: () => void }) {
  const { t } = useTranslation();
  const [code, setCode] = useState("");
  const [password, setPassword] = useState("");
  const remove = useMutation({
    mutationFn: () =>
      api("").DELETE("/api/v1/me/second-factor", { body: { password, code: code.trim() } }),
    onSuccess: done,
  });
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (!remove.isPending) remove.mutate();
      }}
    >
      <TextField
        label={t("account.oldCode")}
        help={t("account.oldCodeHelp")}
        mono
        autoFocus
        required
        autoComplete="one-time-code"
        value={code}
        onChange={(event) => setCode(event.target.value)}
      />
      <TextField
        label={t("account.current")}
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      <Wrong error={remove.error} />
      <div className={classes.buttons}>
        <Button type="submit" look="danger" busy={remove.isPending}>
          {t("account.turnOffFactor")}
        </Button>
        <Button look="quiet" onClick={close}>
          {t("action.cancel")}
        </Button>
      </div>
    </form>
  );
}
