/** Settings of the organization, of a project, and of oneself: one frame around all of them. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { withWords } from "@/i18n";
import { queries } from "../queries";
import { people } from "./people";
import { asked, settings } from "./settings-frame";

export { projectSettings } from "./settings-frame";

const relaysPage = () => withWords("relays", import("@/features/relays/page"));

const settingsStart = createRoute({
  getParentRoute: () => settings,
  path: "/",
  component: lazyRouteComponent(() => import("@/features/settings/start"), "SettingsStart"),
});

const settingsGeneral = createRoute({
  getParentRoute: () => settings,
  path: "general",
  loader: ({ params }) =>
    asked((it) => void queries.prefetchQuery(it.organizationQuery(params.organization))),
  component: lazyRouteComponent(
    () => withWords("settings", import("@/features/settings/general")),
    "GeneralPage",
  ),
});

const settingsSignIn = createRoute({
  getParentRoute: () => settings,
  path: "sign-in",
  loader: ({ params: { organization } }) =>
    asked((it) => {
      void queries.prefetchQuery(it.singleSignOnQuery(organization));
      void queries.prefetchQuery(it.groupsQuery(organization));
      void queries.prefetchQuery(it.policiesQuery(organization));
    }),
  component: lazyRouteComponent(
    () => withWords("people", import("@/features/settings/single-sign-on")),
    "SingleSignOnPage",
  ),
});

const settingsRelays = createRoute({
  getParentRoute: () => settings,
  path: "relays",
  loader: ({ params: { organization } }) =>
    void import("@/lib/api/relays").then((it) => {
      void queries.prefetchQuery(it.relayKeysQuery(organization));
      void queries.prefetchQuery(it.relayAgentsQuery(organization));
    }),
  component: lazyRouteComponent(
    // Graces are those of SDK keys, and what is chosen of is looked through as among people.
    () => withWords("people", withWords("sdk-keys", relaysPage())),
    "RelaysPage",
  ),
});

const settingsProfile = createRoute({
  getParentRoute: () => settings,
  path: "profile",
  component: lazyRouteComponent(
    () => withWords("account", import("@/features/account/profile")),
    "ProfilePage",
  ),
});

const settingsSecurity = createRoute({
  getParentRoute: () => settings,
  path: "security",
  loader: () => asked((it) => void queries.prefetchQuery(it.sessionsQuery)),
  component: lazyRouteComponent(
    () => withWords("account", import("@/features/account/security")),
    "SecurityPage",
  ),
});

const settingsTokens = createRoute({
  getParentRoute: () => settings,
  path: "tokens",
  loader: ({ params }) =>
    asked((it) => void queries.prefetchQuery(it.tokensQuery(params.organization))),
  component: lazyRouteComponent(
    () => withWords("people", import("@/features/tokens/page")),
    "TokensPage",
  ),
});

const settingsAppearance = createRoute({
  getParentRoute: () => settings,
  path: "appearance",
  component: lazyRouteComponent(
    () => withWords("account", import("@/features/account/appearance")),
    "AppearancePage",
  ),
});

export const settingsPages = settings.addChildren([
  settingsStart,
  settingsGeneral,
  ...people,
  settingsSignIn,
  settingsRelays,
  settingsProfile,
  settingsSecurity,
  settingsTokens,
  settingsAppearance,
]);
