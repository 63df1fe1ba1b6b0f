/** Settings of a project's environments, and their SDK keys. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { withWords } from "@/i18n";
import { connectionsQuery, readConnectionFilter } from "@/lib/api/delivery";
import { environmentQuery, rulesQuery, sdkKeysQuery } from "@/lib/api/environments";
import { queries } from "../queries";
import { projectSettings } from "./settings";

export const environments = createRoute({
  getParentRoute: () => projectSettings,
  path: "environments",
  component: lazyRouteComponent(
    () => withWords("environments", import("@/features/environments/page")),
    "EnvironmentsPage",
  ),
});

export const environment = createRoute({
  getParentRoute: () => projectSettings,
  path: "environments/$environment",
  loader: ({ params }) => void queries.prefetchQuery(environmentQuery(params)),
  component: lazyRouteComponent(
    () => withWords("environments", import("@/features/environments/frame")),
    "EnvironmentFrame",
  ),
});

export const environmentGeneral = createRoute({
  getParentRoute: () => environment,
  path: "/",
  component: lazyRouteComponent(
    () => withWords("environments", import("@/features/environments/general")),
    "EnvironmentGeneral",
  ),
});

export const environmentRules = createRoute({
  getParentRoute: () => environment,
  path: "rules",
  loader: ({ params }) => void queries.prefetchQuery(rulesQuery(params)),
  component: lazyRouteComponent(
    () => withWords("people", withWords("acts", import("@/features/environments/rules"))),
    "RulesPage",
  ),
});

export const environmentKeys = createRoute({
  getParentRoute: () => environment,
  path: "keys",
  loader: ({ params }) => void queries.prefetchQuery(sdkKeysQuery(params)),
  component: lazyRouteComponent(
    () => withWords("sdk-keys", import("@/features/sdk-keys/page")),
    "SdkKeysPage",
  ),
});

export const environmentConnections = createRoute({
  getParentRoute: () => environment,
  path: "connections",
  validateSearch: readConnectionFilter,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => {
    void queries.prefetchInfiniteQuery(connectionsQuery(params, deps));
  },
  component: lazyRouteComponent(
    () => withWords("delivery", import("@/features/connections/page")),
    "ConnectionsPage",
  ),
});
