/** Changes of an organization: asked for, and made. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { historyQuery, requestsQuery } from "@/lib/api/queries";
import { queries } from "../queries";
import { organization } from "./base";

export const changes = createRoute({
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

export const change = createRoute({
  getParentRoute: () => organization,
  path: "changes/$id",
  component: lazyRouteComponent(() => import("@/features/changes/change-page"), "ChangePage"),
});
