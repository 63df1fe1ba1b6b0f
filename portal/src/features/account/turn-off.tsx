import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { TextField } from "@/components/field";
import { api } from "@/lib/api/client";
import classes from "./account.module.css";
import { FormEnd } from "./form-end";

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
      <FormEnd
        password={password}
        setPassword={setPassword}
        error={remove.error}
        busy={remove.isPending}
        command={t("account.turnOffFactor")}
        look="danger"
        close={close}
      />
    </form>
  );
}
