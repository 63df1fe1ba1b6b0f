import { useQuery } from "@tanstack/react-query";
import { Navigate, useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Empty, Failure, Waiting } from "@/components/states";
import { Refused } from "@/lib/api/client";
import { meQuery, projectsQuery, settingsQuery } from "@/lib/api/queries";
import { lastPlace } from "@/lib/pinned";

/** The way to the flags list of the project where somebody was last. */
export function Start() {
  const { organization: named } = useParams({ strict: false });
  const me = useQuery(meQuery);
  if (me.error instanceof Refused && me.error.status === 401) {
    return <Navigate to="/sign-in" replace />;
  }
  if (me.isError) return <Failure error={me.error} retry={() => void me.refetch()} />;
  if (!me.data) return <Waiting />;
  if (me.data.passwordMustChange) return <Navigate to="/sign-in" replace />;
  const keys = me.data.organizations.map((it) => it.key);
  const last = lastPlace();
  const organization =
    named ?? (last && keys.includes(last.organization) ? last.organization : keys[0]);
  if (organization === undefined) return <NoOrganization />;
  return <ToProject organization={organization} />;
}

function ToProject({ organization }: { organization: string }) {
  const { t } = useTranslation();
  const projects = useQuery(projectsQuery(organization));
  const settings = useQuery(settingsQuery(organization));
  if (projects.isError) {
    return <Failure error={projects.error} retry={() => void projects.refetch()} />;
  }
  if (!projects.data || settings.isPending) return <Waiting />;
  const keys = projects.data.map((it) => it.key);
  const last = lastPlace();
  const wanted = [
    last?.organization === organization ? last.project : undefined,
    settings.data?.project ?? undefined,
    keys[0],
  ];
  const project = wanted.find((it) => it !== undefined && keys.includes(it));
  if (project === undefined) return <Empty title={t("shell.noProject")} />;
  return <Navigate to="/$organization/$project/flags" params={{ organization, project }} replace />;
}

function NoOrganization() {
  const { t } = useTranslation();
  return (
    <Empty title={t("shell.noOrganization")}>
      <p>{t("shell.noOrganizationHelp")}</p>
    </Empty>
  );
}
