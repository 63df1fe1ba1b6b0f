import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { TextField } from "@/components/field";
import { Wrong } from "@/components/states";
import { api } from "@/lib/api/client";
import { sessionsQuery } from "@/lib/api/people";
import { toast } from "@/lib/toasts";
import classes from "./account.module.css";

/** Another password: all other sessions end with it. */
export function Password() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [current, setCurrent] = useState("");
  const [chosen, setChosen] = useState("");
  const change = useMutation({
    mutationFn: () => api("").POST("/api/v1/me/password", { body: { current, new: chosen } }),
    onSuccess: async () => {
      setCurrent("");
      setChosen("");
      toast(t("account.passwordChanged"));
      await queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    },
  });
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (!change.isPending) change.mutate();
      }}
    >
      <TextField
        label={t("account.current")}
        type="password"
        autoComplete="current-password"
        required
        value={current}
        onChange={(event) => setCurrent(event.target.value)}
      />
      <TextField
        label={t("account.new")}
        help={t("account.passwordRule")}
        type="password"
        autoComplete="new-password"
        required
        minLength={10}
        value={chosen}
        onChange={(event) => setChosen(event.target.value)}
      />
      <Wrong error={change.error} />
      <div className={classes.buttons}>
        <Button type="submit" busy={change.isPending}>
          {t("account.changePassword")}
        </Button>
      </div>
    </form>
  );
}
