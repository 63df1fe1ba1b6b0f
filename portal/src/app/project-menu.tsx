import { useQuery } from "@tanstack/react-query";
import { lazy } from "react";
import { useTranslation } from "react-i18next";
import { Mark } from "@/components/mark";
import { withWords } from "@/i18n";
import type { Schemas } from "@/lib/api/client";
import { projectsQuery } from "@/lib/api/queries";
import { MenuButton } from "./menu-button";
import classes from "./shell.module.css";

const ProjectItems = lazy(() =>
  withWords("projects", import("./project-items")).then((it) => ({ default: it.ProjectItems })),
);

interface Props {
  organization: string;
  project: string | undefined;
  me: Schemas["Me"] | undefined;
}

/** Which project, and which organization where one is a member of several. */
export function ProjectMenu({ organization, project, me }: Props) {
  const { t } = useTranslation();
  const projects = useQuery({ ...projectsQuery(organization), enabled: me !== undefined });
  const organizations = me?.organizations ?? [];
  const name = organizations.find((it) => it.key === organization)?.name ?? organization;
  const here = projects.data?.find((it) => it.key === project);
  return (
    <MenuButton
      className={classes.switcher}
      face={
        <>
          <Mark size={22} />
          <span>
            <small>{name}</small>
            <span className="hidden">{t("shell.switchProject")}</span>
            <strong>{here?.name ?? project ?? t("shell.allProjects")}</strong>
          </span>
        </>
      }
      renderMenu={(button) => <ProjectItems button={button} organization={organization} me={me} />}
    />
  );
}
