/** What was done in an organization. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { withWords } from "@/i18n";
import { auditQuery, newestEntryQuery } from "@/lib/api/audit";
import { readAuditFilter } from "@/lib/audit-filter";
import { queries } from "../queries";
import { organization } from "./base";

export const audit = createRoute({
  getParentRoute: () => organization,
  path: "audit",
  validateSearch: readAuditFilter,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => {
    void queries.prefetchInfiniteQuery(auditQuery(params.organization, deps));
    void queries.prefetchQuery(newestEntryQuery(params.organization, deps));
  },
  component: lazyRouteComponent(
    () =>
      // How long it is kept is saved by a form.
      withWords("settings", withWords("acts", withWords("audit", import("@/features/audit/page")))),
    "AuditPage",
  ),
});
