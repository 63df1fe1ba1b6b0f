/** Settings of a project, and the project as a file. */
import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { withWords } from "@/i18n";
import { projectQuery } from "@/lib/api/projects";
import { queries } from "../queries";
import { projectSettings } from "./settings";

export const projectSettingsStart = createRoute({
  getParentRoute: () => projectSettings,
  path: "/",
  beforeLoad: ({ params }) => {
    throw redirect({ to: "/$organization/$project/settings/general", params });
  },
});

export const projectGeneral = createRoute({
  getParentRoute: () => projectSettings,
  path: "general",
  loader: ({ params }) =>
    void queries.prefetchQuery(projectQuery(params.organization, params.project)),
  component: lazyRouteComponent(
    () => withWords("projects", import("@/features/projects/general")),
    "ProjectGeneral",
  ),
});

export const projectFiles = createRoute({
  getParentRoute: () => projectSettings,
  path: "files",
  component: lazyRouteComponent(
    // What a file does to rules is said by their words.
    () => withWords("rules", withWords("files", import("@/features/files/page"))),
    "FilesPage",
  ),
});
