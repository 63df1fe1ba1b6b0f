import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { AreaField, TextField } from "@/components/field";
import { SidePanel } from "@/components/side-panel";
import { Wrong } from "@/components/states";
import { createEnvironment } from "@/lib/api/environments";
import { environmentsQuery } from "@/lib/api/queries";
import { keyOf } from "@/lib/key-of";
import { said } from "@/lib/problems";
import classes from "./environments.module.css";

interface Props {
  organization: string;
  project: string;
  close: () => void;
}

/** Another environment, with a key for servers and one for clients. */
export function CreateEnvironment({ organization, project, close }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [it, setIt] = useState({ name: "", description: "", protected: false });
  const [typed, setTyped] = useState<string>();
  const environment = typed ?? keyOf(it.name);
  const edit = (change: Partial<typeof it>) => setIt((old) => ({ ...old, ...change }));
  const create = useMutation({
    mutationFn: () => createEnvironment({ organization, project, environment }, it),
    // Where its mark was refused it is there all the same.
    onSettled: () => queries.invalidateQueries(environmentsQuery(organization, project)),
    onSuccess: () => {
      const params = { organization, project, environment };
      const to = "/$organization/$project/settings/environments/$environment/keys";
      void navigate({ to, params });
    },
  });
  // What the key must not be is said where it is typed.
  const wrongKey = create.error ? said(t, create.error).fields["/key"] : undefined;
  return (
    <SidePanel title={t("environments.new")} close={close}>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <TextField
          label={t("environments.name")}
          required
          maxLength={256}
          data-autofocus
          value={it.name}
          onChange={(event) => edit({ name: event.target.value })}
        />
        <TextField
          label={t("environments.key")}
          help={t("environments.keyHelp")}
          required
          mono
          pattern="[a-zA-Z0-9._\-]{1,128}"
          error={wrongKey}
          value={environment}
          onChange={(event) => {
            setTyped(event.target.value);
            create.reset();
          }}
        />
        <AreaField
          label={t("environments.description")}
          value={it.description}
          onChange={(event) => edit({ description: event.target.value })}
        />
        <label className={classes.check}>
          <input
            type="checkbox"
            checked={it.protected}
            onChange={(event) => edit({ protected: event.target.checked })}
          />
          <span>
            {t("environments.protected")}
            <small>{t("environments.protectedHelp")}</small>
          </span>
        </label>
        <Wrong error={wrongKey === undefined ? create.error : null} />
        <div>
          <Button type="submit" look="primary" busy={create.isPending}>
            {environment === ""
              ? t("environments.createOne")
              : t("environments.create", { key: environment })}
          </Button>
        </div>
      </form>
    </SidePanel>
  );
}
