import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ConfirmName } from "@/components/confirm-name";
import { EditForm } from "@/components/edit-form";
import { TextField } from "@/components/field";
import { useLacking } from "@/components/may";
import { Page } from "@/components/page";
import { Failure, Waiting } from "@/components/states";
import type { Schemas, Tagged } from "@/lib/api/client";
import { deleteProject, projectQuery, saveProject } from "@/lib/api/projects";
import { environmentsQuery, projectsQuery } from "@/lib/api/queries";
import { useEdits } from "@/lib/edits";
import { useFormat } from "@/lib/format";
import { useTitle } from "@/lib/title";
import classes from "./projects.module.css";
import { Staleness } from "./staleness";

interface Props {
  organization: string;
  project: string;
  found: Tagged<Schemas["ProjectView"]>;
}

/** A project: its name, when its flags are stale, and its end. */
export function ProjectGeneral() {
  const { t } = useTranslation();
  const { organization, project } = useParams({ from: "/$organization/$project/settings/general" });
  useTitle(t("projects.title"), project);
  const found = useQuery(projectQuery(organization, project));
  if (found.isError) return <Failure error={found.error} retry={() => void found.refetch()} />;
  const of = { organization, project };
  return (
    <Page title={t("projects.title")}>
      {found.data ? (
        <div className={classes.parts}>
          <Form {...of} found={found.data} />
          <Deletion {...of} />
        </div>
      ) : (
        <Waiting rows={4} />
      )}
    </Page>
  );
}

function Form({ organization, project, found: { it, tag } }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const edits = useEdits({
    name: it.name,
    own: it.staleDays != null,
    staleDays: String(it.staleDays ?? it.effectiveStaleDays),
  });
  const { value, set } = edits;
  const { queryKey } = projectQuery(organization, project);
  const lacking = useLacking(organization, {
    save: { action: "project.update", resource: `project/${project}` },
  });
  async function save() {
    const { name, own, staleDays } = value;
    const body = { name, staleDays: own ? Number(staleDays) : null };
    queries.setQueryData(queryKey, await saveProject(organization, project, body, tag));
    edits.reset();
    // Its name stands in the menu, and what is stale in the list.
    await queries.invalidateQueries(projectsQuery(organization));
    await queries.invalidateQueries({ queryKey: ["flagIndex", organization, project] });
  }
  return (
    <EditForm
      command={t("projects.save", { key: project })}
      saved={t("projects.saved", { key: project })}
      save={save}
      dirty={edits.dirty}
      reset={edits.reset}
      again={() => queries.refetchQueries({ queryKey })}
      lacking={lacking.save}
    >
      <TextField
        label={t("projects.name")}
        required
        maxLength={256}
        value={value.name}
        onChange={(event) => set({ name: event.target.value })}
      />
      <TextField
        label={t("projects.key")}
        help={t("projects.keyHelp")}
        mono
        readOnly
        value={it.key}
      />
      <Staleness value={value} effective={it.effectiveStaleDays} set={set} />
    </EditForm>
  );
}

function Deletion({ organization, project }: Omit<Props, "found">) {
  const { t } = useTranslation();
  const { list } = useFormat();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [asked, setAsked] = useState(false);
  const environments = useQuery(environmentsQuery(organization, project));
  const guarded = (environments.data ?? []).filter((it) => it.protected).map((it) => it.key);
  const lacking = useLacking(organization, {
    delete: { action: "project.delete", resource: `project/${project}` },
  });
  const why =
    guarded.length > 0 ? t("projects.protectedStays", { keys: list(guarded) }) : undefined;
  const command = t("projects.delete", { key: project });
  async function run() {
    await deleteProject(organization, project);
    await queries.invalidateQueries(projectsQuery(organization));
    await navigate({ to: "/$organization", params: { organization } });
    queries.removeQueries({ queryKey: projectQuery(organization, project).queryKey });
  }
  const help = t("projects.deleteHelp", { count: environments.data?.length ?? 0 });
  return (
    <section className={classes.deletion}>
      <h2>{t("projects.deleteTitle")}</h2>
      <p>{help}</p>
      <div>
        <Button look="danger" lacking={lacking.delete ?? why} onClick={() => setAsked(true)}>
          {command}
        </Button>
      </div>
      {why && <p>{why}</p>}
      {asked && (
        <ConfirmName name={project} command={command} run={run} close={() => setAsked(false)}>
          <p>{help}</p>
        </ConfirmName>
      )}
    </section>
  );
}
