/** What was done in an organization. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { withWords } from "@/i18n";
import { readAuditFilter } from "@/lib/audit-filter";
import { queries } from "../queries";
import { organization } from "./base";

export const audit = createRoute({
  getParentRoute: () => organization,
  path: "audit",
  validateSearch: readAuditFilter,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => {
    // What is asked for comes with the page, and not before the flags list.
    void import("@/lib/api/audit").then((it) => {
      void queries.prefetchInfiniteQuery(it.auditQuery(params.organization, deps));
      void queries.prefetchQuery(it.newestEntryQuery(params.organization, deps));
    });
  },
  component: lazyRouteComponent(
    () =>
      // How long it is kept is saved by a form.
      withWords(
        "rules",
        withWords(
          "settings",
          withWords("acts", withWords("audit", import("@/features/audit/page"))),
        ),
      ),
    "AuditPage",
  ),
});
