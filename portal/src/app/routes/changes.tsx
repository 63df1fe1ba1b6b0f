/** Changes of an organization: asked for, scheduled, and made. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { withWords } from "@/i18n";
import {
  WHICH,
  type Which,
  pastQuery,
  pastStateQuery,
  readPast,
  requestQuery,
  requestsQuery,
  versionsQuery,
} from "@/lib/api/changes";
import { queries } from "../queries";
import { organization, project } from "./base";

/** Pages of changes speak of conflicts too, as the review bar does, and of administration. */
const worded = <T,>(page: Promise<T>) =>
  withWords(
    "rules",
    withWords("acts", withWords("review", withWords("delivery", withWords("changes", page)))),
  );

export const changes = createRoute({
  getParentRoute: () => organization,
  path: "changes",
  validateSearch: ({ show }: Record<string, unknown>): { show?: Which } => {
    const which = WHICH.find((it) => it === show && it !== "open");
    return which ? { show: which } : {};
  },
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => {
    void queries.prefetchInfiniteQuery(requestsQuery(params.organization, deps.show ?? "open"));
  },
  component: lazyRouteComponent(() => worded(import("@/features/changes/page")), "RequestsPage"),
});

export const change = createRoute({
  getParentRoute: () => organization,
  path: "changes/$id",
  loader: ({ params }) => {
    // A number is of the history.
    if (/^\d+$/.test(params.id)) return;
    void queries.prefetchQuery({ ...requestQuery(params.organization, params.id), retry: false });
  },
  component: lazyRouteComponent(
    () => worded(import("@/features/changes/change-page")),
    "ChangePage",
  ),
});

export const schedule = createRoute({
  getParentRoute: () => organization,
  path: "changes/schedule",
  validateSearch: ({ month }: Record<string, unknown>): { month?: string } =>
    typeof month === "string" && /^\d{4}-\d{2}$/.test(month) ? { month } : {},
  component: lazyRouteComponent(
    () => worded(import("@/features/changes/schedule")),
    "SchedulePage",
  ),
});

export const history = createRoute({
  getParentRoute: () => organization,
  path: "changes/history",
  validateSearch: readPast,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => {
    void queries.prefetchInfiniteQuery(pastQuery(params.organization, deps));
  },
  component: lazyRouteComponent(() => worded(import("@/features/changes/history")), "HistoryPage"),
});

export const versions = createRoute({
  getParentRoute: () => project,
  path: "history/$environment",
  loader: ({ params }) => {
    const { organization, project, environment } = params;
    void queries.prefetchInfiniteQuery(versionsQuery(organization, project, environment));
  },
  component: lazyRouteComponent(
    () => worded(import("@/features/changes/versions")),
    "VersionsPage",
  ),
});

export const version = createRoute({
  getParentRoute: () => project,
  path: "history/$environment/$version",
  // The version that it is compared with.
  validateSearch: (search: Record<string, unknown>): { with?: number } => {
    const other = Number(search["with"]);
    return Number.isSafeInteger(other) && other > 0 ? { with: other } : {};
  },
  loader: ({ params }) => {
    const { organization, project, environment, version } = params;
    void queries.prefetchInfiniteQuery(versionsQuery(organization, project, environment));
    const state = pastStateQuery(organization, project, environment, Number(version));
    void queries.prefetchInfiniteQuery(state);
  },
  component: lazyRouteComponent(
    () => worded(withWords("way-back", import("@/features/changes/version"))),
    "VersionPage",
  ),
});
