/** The segments of a project, and one of them. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { withWords } from "@/i18n";
import { shownEnvironments } from "@/lib/pinned";
import { readFilter } from "@/lib/segment-filter";
import { queries } from "../queries";
import { project } from "./base";

const worded = <T,>(code: Promise<T>) => withWords("rules", withWords("segments", code));

/** What is asked for comes with the page, and not before the flags list. */
const asking = () => import("@/lib/api/segments");

export const segments = createRoute({
  getParentRoute: () => project,
  path: "segments",
  validateSearch: readFilter,
  loader: ({ params: { organization, project } }) => {
    const known = shownEnvironments(organization, project) ?? [];
    void asking().then((it) => it.prefetchLists(queries, organization, project, known));
  },
  component: lazyRouteComponent(() => worded(import("@/features/segments/page")), "SegmentsPage"),
});

export const segment = createRoute({
  getParentRoute: () => project,
  path: "segments/$place/$segment",
  loader: ({ params }) => {
    void asking().then((it) => it.prefetchSegment(queries, params));
  },
  component: lazyRouteComponent(() => worded(import("@/features/segments/segment")), "SegmentPage"),
});

export const segmentUsers = createRoute({
  getParentRoute: () => segment,
  path: "/",
  component: lazyRouteComponent(() => worded(import("@/features/segments/users")), "SegmentUsers"),
});

export const segmentHistory = createRoute({
  getParentRoute: () => segment,
  path: "history",
  component: lazyRouteComponent(
    () => worded(import("@/features/segments/history")),
    "SegmentHistory",
  ),
});
