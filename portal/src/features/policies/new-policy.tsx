import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { AreaField, TextField } from "@/components/field";
import { SidePanel } from "@/components/side-panel";
import { Wrong } from "@/components/states";
import type { Statement } from "@/lib/access";
import { api } from "@/lib/api/client";
import { policiesQuery } from "@/lib/api/people";
import { keyOf } from "@/lib/key-of";
import classes from "./policies.module.css";

interface Props {
  organization: string;
  close: () => void;
  /** What it begins with: that of a policy that is copied. */
  statements?: Statement[];
}

/** Seeing, and nothing else: what nearly every policy begins with. */
const SEE: Statement[] = [{ effect: "allow", actions: ["*.read"], resources: ["project/*"] }];

/** A policy of the organization's own: a name, then its statements on its page. */
export function NewPolicy({ organization, close, statements = SEE }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [typed, setTyped] = useState<string>();
  const [description, setDescription] = useState("");
  const key = typed ?? keyOf(name);
  const create = useMutation({
    mutationFn: () =>
      api(organization).POST("/api/v1/policies", { body: { key, name, description, statements } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: policiesQuery(organization).queryKey });
      const params = { organization, policy: key };
      await navigate({ to: "/$organization/settings/policies/$policy", params });
      close();
    },
  });
  return (
    <SidePanel title={t("policy.new")} close={close}>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <TextField
          label={t("policy.name")}
          required
          maxLength={256}
          data-autofocus
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label={t("policy.key")}
          help={t("policy.keyHelp")}
          mono
          required
          value={key}
          onChange={(event) => setTyped(event.target.value)}
        />
        <AreaField
          label={t("policy.description")}
          value={description}
          onChange={(event) => setDescription(event.target.value)}
        />
        <Wrong error={create.error} />
        <Button type="submit" look="primary" busy={create.isPending}>
          {t("policy.create")}
        </Button>
      </form>
    </SidePanel>
  );
}
