import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { TextField } from "@/components/field";
import { useLacking } from "@/components/may";
import { SidePanel } from "@/components/side-panel";
import { Wrong } from "@/components/states";
import { createProject } from "@/lib/api/projects";
import { projectsQuery } from "@/lib/api/queries";
import { keyOf } from "@/lib/key-of";
import { said } from "@/lib/problems";
import classes from "./projects.module.css";

/** What every project is begun with, where nobody wants it otherwise. */
const FIRST = [
  { key: "prod", name: "Production" },
  { key: "dev", name: "Development" },
];

/** Another project, with environments to begin with. */
export function CreateProject({
  organization,
  close,
}: {
  organization: string;
  close: () => void;
}) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [typed, setTyped] = useState<string>();
  const [first, setFirst] = useState(true);
  const key = typed ?? keyOf(name);
  const lacking = useLacking(organization, {
    create: { action: "project.create", resource: `project/${key || "*"}` },
  });
  const create = useMutation({
    mutationFn: () =>
      createProject(organization, { key, ...(name === "" ? {} : { name }) }, first ? FIRST : []),
    // It is there too where one of its environments could not be made.
    onSettled: () => queries.invalidateQueries(projectsQuery(organization)),
    onSuccess: async () => {
      close();
      const params = { organization, project: key };
      await navigate({ to: "/$organization/$project/flags", params });
    },
  });
  // What the key must not be is said where it is typed.
  const wrongKey = create.error ? said(t, create.error).fields["/key"] : undefined;
  return (
    <SidePanel title={t("projects.new")} close={close}>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (lacking.create === undefined) create.mutate();
        }}
      >
        <TextField
          label={t("projects.name")}
          required
          maxLength={256}
          data-autofocus
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label={t("projects.key")}
          help={t("projects.keyHelp")}
          required
          mono
          pattern="[a-zA-Z0-9._\-]{1,128}"
          error={wrongKey}
          value={key}
          onChange={(event) => {
            setTyped(event.target.value);
            create.reset();
          }}
        />
        <label className={classes.check}>
          <input
            type="checkbox"
            checked={first}
            onChange={(event) => setFirst(event.target.checked)}
          />
          <span>
            {t("projects.first")}
            <small>{t("projects.firstHelp")}</small>
          </span>
        </label>
        <Wrong error={wrongKey === undefined ? create.error : null} />
        <div>
          <Button type="submit" look="primary" busy={create.isPending} lacking={lacking.create}>
            {key === "" ? t("projects.createOne") : t("projects.create", { key })}
          </Button>
        </div>
      </form>
    </SidePanel>
  );
}
