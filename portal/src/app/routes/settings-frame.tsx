/** What is around the settings: one frame for all of them. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { withWords } from "@/i18n";
import { organization, project } from "./base";

const people = () => import("@/lib/api/people");

/**
 * Asks for what a page of these needs. How to ask comes with the page: it is too much for everybody
 * who only looks at flags.
 */
export function asked(ask: (it: Awaited<ReturnType<typeof people>>) => void): void {
  void people().then(ask);
}

const frame = lazyRouteComponent(
  () => withWords("project-settings", withWords("settings", import("@/components/settings-frame"))),
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
