import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { projectsQuery } from "@/lib/api/queries";
import { lastPlace } from "@/lib/pinned";

/** The settings of the project where one is, or where one was. */
export function ProjectSettingsLinks({ organization }: { organization: string }) {
  const { t } = useTranslation();
  const { project: named } = useParams({ strict: false });
  const projects = useQuery(projectsQuery(organization));
  const last = lastPlace();
  const key = named ?? (last?.organization === organization ? last.project : undefined);
  const found = projects.data?.find((it) => it.key === key) ?? projects.data?.[0];
  const project = named ?? found?.key;
  if (project === undefined) return null;
  const params = { organization, project };
  return (
    <>
      <h2>{t("projectSettings.of", { name: found?.name ?? project })}</h2>
      <Link to="/$organization/$project/settings/general" params={params}>
        {t("projectSettings.general")}
      </Link>
      <Link to="/$organization/$project/settings/environments" params={params}>
        {t("projectSettings.environments")}
      </Link>
      <Link to="/$organization/$project/settings/files" params={params}>
        {t("projectSettings.files")}
      </Link>
      {/* The server's own page: another one than these. */}
      <a href="/api/docs" target="_blank" rel="noreferrer">
        {t("projectSettings.api")}
      </a>
    </>
  );
}
