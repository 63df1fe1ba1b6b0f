/** End users: of an environment, one of them, and what a project knows of their properties. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { withWords } from "@/i18n";
import { propertiesQuery } from "@/lib/api/queries";
import { readDecisionFilter } from "@/lib/decision-filter";
import { readUsers } from "@/lib/users-search";
import { readWhy } from "@/lib/why-search";
import { queries } from "../queries";
import { project } from "./base";

/** What is asked for comes with the page, and not before the flags list. */
const asking = () => import("@/lib/api/users");

/** `/acme/web/users`: leads to those of the first environment. */
export const users = createRoute({
  getParentRoute: () => project,
  path: "users",
});

export const usersFirst = createRoute({
  getParentRoute: () => users,
  path: "/",
  component: lazyRouteComponent(
    () => withWords("users", import("@/features/users/frame")),
    "FirstUsers",
  ),
});

export const usersOf = createRoute({
  getParentRoute: () => users,
  path: "$environment",
  validateSearch: readUsers,
  loaderDeps: ({ search: { q, anywhere } }) => ({ q: q ?? "", anywhere: anywhere ?? false }),
  loader: ({ params, deps }) => {
    const { organization, project, environment } = params;
    void asking().then(({ usersQuery }) =>
      queries.prefetchInfiniteQuery(usersQuery(organization, project, environment, deps)),
    );
    void queries.prefetchQuery(propertiesQuery(organization, project, environment));
  },
  // Another environment is another page: what was typed belongs to the one before.
  remountDeps: ({ params }) => params,
  component: lazyRouteComponent(
    () => withWords("users", import("@/features/users/page")),
    "UsersPage",
  ),
});

export const user = createRoute({
  getParentRoute: () => users,
  path: "$environment/$user",
  validateSearch: (search: Record<string, unknown>) => {
    const { version, draft } = readWhy(search);
    return { ...(version === undefined ? {} : { version }), ...(draft ? { draft } : {}) };
  },
  loader: ({ params }) => {
    const { organization, project, environment, user: key } = params;
    void asking().then(({ userQuery, allFlagsQuery }) => {
      void queries.prefetchQuery(userQuery(organization, project, environment, key));
      const all = allFlagsQuery(organization, project, environment, { key });
      void queries.prefetchInfiniteQuery(all);
    });
  },
  component: lazyRouteComponent(
    () => withWords("users", withWords("why", import("@/features/users/user"))),
    "UserPage",
  ),
});

/** What users were given. Beside `users/`: any word there may be a user's key. */
export const decisions = createRoute({
  getParentRoute: () => project,
  path: "decisions/$environment",
  validateSearch: readDecisionFilter,
  loaderDeps: ({ search }) => search,
  loader: ({ params: { organization, project, environment }, deps }) => {
    void import("@/lib/api/decisions").then((it) =>
      queries.prefetchInfiniteQuery(it.decisionsQuery(organization, project, environment, deps)),
    );
  },
  remountDeps: ({ params }) => params,
  component: lazyRouteComponent(
    () =>
      withWords(
        "users",
        withWords("why", withWords("decisions", import("@/features/users/decisions/page"))),
      ),
    "DecisionsPage",
  ),
});

export const userProperties = createRoute({
  getParentRoute: () => project,
  path: "user-properties",
  validateSearch: ({ property }: Record<string, unknown>): { property?: string } =>
    property === undefined ? {} : { property: String(property) },
  loader: ({ params: { organization, project } }) => {
    void import("@/lib/api/user-properties").then((it) =>
      queries.prefetchQuery(it.knownPropertiesQuery(organization, project)),
    );
  },
  component: lazyRouteComponent(
    // What forms say is said with the settings.
    () => withWords("users", withWords("settings", import("@/features/users/properties"))),
    "PropertiesPage",
  ),
});
