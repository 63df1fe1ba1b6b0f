/** What is around the pages: the address begins with the organization, then with the project. */
import { Outlet, createRootRoute, createRoute } from "@tanstack/react-router";
import { Toasts } from "@/components/toasts";
import { environmentsQuery, meQuery, projectsQuery, settingsQuery } from "@/lib/api/queries";
import { queries } from "../queries";
import { Shell } from "../shell";

/** What was done a moment ago is said on whichever page one went on to. */
function Root() {
  return (
    <>
      <Outlet />
      <Toasts />
    </>
  );
}

export const root = createRootRoute({ component: Root });

export const organization = createRoute({
  getParentRoute: () => root,
  path: "/$organization",
  component: Shell,
  loader: ({ params }) => {
    void queries.prefetchQuery(meQuery);
    void queries.prefetchQuery(projectsQuery(params.organization));
    void queries.prefetchQuery(settingsQuery(params.organization));
  },
});

export const project = createRoute({
  getParentRoute: () => organization,
  path: "$project",
  loader: ({ params }) => {
    void queries.prefetchQuery(environmentsQuery(params.organization, params.project));
  },
});
