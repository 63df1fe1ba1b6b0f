/** Environments side by side: all flags, and one of them. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { withWords } from "@/i18n";
import { environmentsQuery } from "@/lib/api/queries";
import { queries } from "../queries";
import { project } from "./base";
import { flag } from "./flags";

const worded = <T,>(code: Promise<T>) => withWords("rules", withWords("compare", code));

/** What is asked for comes with the page, and not before the flags list. */
async function ask(params: { organization: string; project: string; pair: string; flag?: string }) {
  const { prefetchComparison } = await import("@/lib/api/compare");
  const { organization, project } = params;
  const known = queries.getQueryData(environmentsQuery(organization, project).queryKey) ?? [];
  prefetchComparison(queries, known, params);
}

export const comparePreset = createRoute({
  getParentRoute: () => project,
  path: "compare",
  component: lazyRouteComponent(() => worded(import("@/features/compare/page")), "PresetPair"),
});

export const compare = createRoute({
  getParentRoute: () => project,
  path: "compare/$pair",
  validateSearch: ({ of }: Record<string, unknown>): { of?: "segments" } =>
    of === "segments" ? { of } : {},
  loader: ({ params }) => {
    void ask(params);
  },
  component: lazyRouteComponent(() => worded(import("@/features/compare/page")), "ComparePage"),
});

export const flagCompare = createRoute({
  getParentRoute: () => flag,
  path: "compare/$pair",
  loader: ({ params }) => {
    void ask(params);
  },
  component: lazyRouteComponent(() => worded(import("@/features/compare/flag")), "FlagCompare"),
});
