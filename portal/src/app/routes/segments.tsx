/** The segments of a project, and one of them. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { withWords } from "@/i18n";
import { segmentHistoryQuery, segmentListQuery, segmentQuery } from "@/lib/api/segments";
import { placeAt } from "@/lib/model/segment";
import { shownEnvironments } from "@/lib/pinned";
import { readFilter } from "@/lib/segment-filter";
import { queries } from "../queries";
import { project } from "./base";

export const segments = createRoute({
  getParentRoute: () => project,
  path: "segments",
  validateSearch: readFilter,
  loader: ({ params }) => {
    const { organization, project } = params;
    const known = shownEnvironments(organization, project) ?? [];
    const places = [{}, { project }, ...known.map((environment) => ({ project, environment }))];
    for (const place of places) {
      void queries.prefetchQuery(segmentListQuery(organization, place, "live"));
    }
  },
  component: lazyRouteComponent(
    () => withWords("segments", import("@/features/segments/page")),
    "SegmentsPage",
  ),
});

export const segment = createRoute({
  getParentRoute: () => project,
  path: "segments/$place/$segment",
  loader: ({ params }) => {
    const { organization, project, place, segment } = params;
    void queries.prefetchQuery(segmentQuery(organization, placeAt(project, place), segment));
  },
  component: lazyRouteComponent(
    () => withWords("segments", import("@/features/segments/segment")),
    "SegmentPage",
  ),
});

export const segmentUsers = createRoute({
  getParentRoute: () => segment,
  path: "/",
  component: lazyRouteComponent(
    () => withWords("segments", import("@/features/segments/users")),
    "SegmentUsers",
  ),
});

export const segmentHistory = createRoute({
  getParentRoute: () => segment,
  path: "history",
  loader: ({ params }) => {
    const { organization, project, place, segment } = params;
    void queries.prefetchInfiniteQuery(
      segmentHistoryQuery(organization, placeAt(project, place), segment),
    );
  },
  component: lazyRouteComponent(
    () => withWords("segments", import("@/features/segments/history")),
    "SegmentHistory",
  ),
});
