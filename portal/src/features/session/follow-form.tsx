import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { TextField } from "@/components/field";
import { Wrong } from "@/components/states";
import { type Schemas, api, dataOf } from "@/lib/api/client";
import { meQuery } from "@/lib/api/queries";
import { NewPassword } from "./password-form";
import classes from "./session.module.css";

interface Props {
  link: string;
  view: Schemas["LinkView"];
}

/** Joins the organization, or sets the new password. */
export function FollowForm({ link, view }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const { choosesPassword, invitation, email } = view;
  const follow = useMutation({
    mutationFn: async () => {
      const body: Schemas["LinkFollowed"] = { link };
      if (invitation && choosesPassword) body.name = name;
      if (choosesPassword) body.password = password;
      return dataOf(await api("").POST("/api/v1/links/follow", { body }));
    },
    onSuccess: async () => {
      // Who has a second factor is not signed in by a link.
      await queries.resetQueries({ queryKey: meQuery.queryKey });
      await navigate({ to: "/" });
    },
  });
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        follow.mutate();
      }}
    >
      <p>{t(invitation ? "session.invited" : "session.resetFor", { email })}</p>
      {invitation && choosesPassword && (
        <TextField
          label={t("session.name")}
          autoComplete="name"
          required
          autoFocus
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      )}
      {choosesPassword && <NewPassword value={password} change={setPassword} />}
      <Wrong error={follow.error} />
      <Button look="primary" type="submit" busy={follow.isPending}>
        {t(invitation ? "session.join" : "session.setPassword")}
      </Button>
    </form>
  );
}
