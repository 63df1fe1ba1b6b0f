/** The addresses. Code and data of a page are asked for at the same moment. */
import {
  Outlet,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import {
  environmentsQuery,
  flagIndexQuery,
  flagQuery,
  historyQuery,
  meQuery,
  projectsQuery,
  requestsQuery,
  settingsQuery,
} from "@/lib/api/queries";
import { shownEnvironments } from "@/lib/pinned";
import { readFilter } from "@/lib/filter";
import { Failure, NoPage } from "@/components/states";
import { queries } from "./queries";
import { Shell } from "./shell";
import { Start } from "./start";

const root = createRootRoute({ component: Outlet });

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: ({ to, error }: Record<string, unknown>): { to?: string; error?: string } => ({
    ...(typeof to === "string" ? { to } : {}),
    ...(typeof error === "string" ? { error } : {}),
  }),
  component: lazyRouteComponent(() => import("@/features/session/sign-in-page"), "SignInPage"),
});

const link = createRoute({
  getParentRoute: () => root,
  path: "/link",
  component: lazyRouteComponent(() => import("@/features/session/link-page"), "LinkPage"),
});

const start = createRoute({ getParentRoute: () => root, path: "/", component: Start });

const organization = createRoute({
  getParentRoute: () => root,
  path: "/$organization",
  component: Shell,
  loader: ({ params }) => {
    void queries.prefetchQuery(meQuery);
    void queries.prefetchQuery(projectsQuery(params.organization));
    void queries.prefetchQuery(settingsQuery(params.organization));
  },
});

const home = createRoute({ getParentRoute: () => organization, path: "/", component: Start });

const project = createRoute({
  getParentRoute: () => organization,
  path: "$project",
  loader: ({ params }) => {
    void queries.prefetchQuery(environmentsQuery(params.organization, params.project));
  },
});

const projectHome = createRoute({
  getParentRoute: () => project,
  path: "/",
  beforeLoad: ({ params }) => {
    throw redirect({ to: "/$organization/$project/flags", params });
  },
});

const flags = createRoute({
  getParentRoute: () => project,
  path: "flags",
  validateSearch: readFilter,
  loader: ({ params }) => {
    const shown = shownEnvironments(params.organization, params.project);
    // Else it has to be known first which there are.
    if (!shown) return;
    void queries.prefetchQuery(flagIndexQuery(params.organization, params.project, shown));
  },
  component: lazyRouteComponent(() => import("@/features/flags/page"), "FlagsPage"),
});

const flag = createRoute({
  getParentRoute: () => project,
  path: "flags/$flag",
  loader: ({ params }) => {
    const { organization, project, flag } = params;
    void queries.prefetchQuery(flagQuery(organization, project, flag));
  },
  component: lazyRouteComponent(() => import("@/features/flag/page"), "FlagPage"),
});

const flagIndex = createRoute({
  getParentRoute: () => flag,
  path: "/",
  component: lazyRouteComponent(() => import("@/features/flag/page"), "FirstEnvironment"),
});

const flagHistory = createRoute({
  getParentRoute: () => flag,
  path: "history",
  loader: ({ params }) => {
    void queries.prefetchInfiniteQuery(historyQuery(params.organization, params.project));
  },
  component: lazyRouteComponent(() => import("@/features/flag/history"), "FlagHistory"),
});

const flagEnvironment = createRoute({
  getParentRoute: () => flag,
  path: "$environment",
  component: lazyRouteComponent(() => import("@/features/flag/environment"), "FlagEnvironment"),
});

const changes = createRoute({
  getParentRoute: () => organization,
  path: "changes",
  validateSearch: ({ show }: Record<string, unknown>): { show?: "history" } =>
    show === "history" ? { show } : {},
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => {
    if (deps.show === "history") {
      void queries.prefetchInfiniteQuery(historyQuery(params.organization, undefined));
    } else void queries.prefetchQuery(requestsQuery(params.organization, "open"));
  },
  component: lazyRouteComponent(() => import("@/features/changes/page"), "ChangesPage"),
});

const change = createRoute({
  getParentRoute: () => organization,
  path: "changes/$id",
  component: lazyRouteComponent(() => import("@/features/changes/change-page"), "ChangePage"),
});

const tree = root.addChildren([
  signIn,
  link,
  start,
  organization.addChildren([
    home,
    changes,
    change,
    project.addChildren([
      projectHome,
      flags,
      flag.addChildren([flagIndex, flagHistory, flagEnvironment]),
    ]),
  ]),
]);

export const router = createRouter({
  routeTree: tree,
  defaultPreload: "intent",
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
  defaultErrorComponent: ({ error, reset }) => <Failure error={error} retry={reset} />,
  defaultNotFoundComponent: () => <NoPage />,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
