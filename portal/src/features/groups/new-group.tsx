import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { AreaField, TextField } from "@/components/field";
import { Grants } from "@/components/grants";
import { SidePanel } from "@/components/side-panel";
import { Wrong } from "@/components/states";
import { api } from "@/lib/api/client";
import { groupsQuery } from "@/lib/api/people";
import { keyOf } from "@/lib/key-of";
import classes from "./groups.module.css";

/** A group: a name, and what its members get. */
export function NewGroup({ organization, close }: { organization: string; close: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [typed, setTyped] = useState<string>();
  const [description, setDescription] = useState("");
  const [policies, setPolicies] = useState<string[]>([]);
  const key = typed ?? keyOf(name);
  const create = useMutation({
    mutationFn: () =>
      api(organization).POST("/api/v1/groups", { body: { key, name, description, policies } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: groupsQuery(organization).queryKey });
      const params = { organization, group: key };
      await navigate({ to: "/$organization/settings/groups/$group", params });
      close();
    },
  });
  return (
    <SidePanel title={t("group.new")} close={close}>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <TextField
          label={t("group.name")}
          required
          maxLength={256}
          data-autofocus
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label={t("policy.key")}
          help={t("group.keyHelp")}
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
        <Grants
          organization={organization}
          only="policies"
          granted={{ policies, groups: [] }}
          change={(it) => setPolicies(it.policies)}
        />
        <Wrong error={create.error} />
        <Button type="submit" look="primary" busy={create.isPending}>
          {t("group.create")}
        </Button>
      </form>
    </SidePanel>
  );
}
