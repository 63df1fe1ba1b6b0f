/** Settings of the organization, of a project, and of oneself: one frame around all of them. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { withWords } from "@/i18n";
import { organizationQuery } from "@/lib/api/people";
import { queries } from "../queries";
import { organization, project } from "./base";

const frame = lazyRouteComponent(
  () => withWords("settings", import("@/components/settings-frame")),
  "SettingsFrame",
);

/** `/acme/settings/…` */
export const settings = createRoute({
  getParentRoute: () => organization,
  path: "settings",
  component: frame,
});

/** `/acme/web/settings/…` */
export const projectSettings = createRoute({
  getParentRoute: () => project,
  path: "settings",
  component: frame,
});

export const settingsStart = createRoute({
  getParentRoute: () => settings,
  path: "/",
  component: lazyRouteComponent(() => import("@/features/settings/start"), "SettingsStart"),
});

export const settingsGeneral = createRoute({
  getParentRoute: () => settings,
  path: "general",
  loader: ({ params }) => void queries.prefetchQuery(organizationQuery(params.organization)),
  component: lazyRouteComponent(
    () => withWords("settings", import("@/features/settings/general")),
    "GeneralPage",
  ),
});
