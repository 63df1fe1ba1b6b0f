/** The flags of a project, and one of them. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { withWords } from "@/i18n";
import { flagHistoryQuery } from "@/lib/api/flag";
import { flagIndexQuery, flagQuery } from "@/lib/api/queries";
import { readSearch } from "@/lib/filter";
import { asked, shownEnvironments } from "@/lib/pinned";
import { readWhy } from "@/lib/why-search";
import { queries } from "../queries";
import { project } from "./base";

export const flags = createRoute({
  getParentRoute: () => project,
  path: "flags",
  validateSearch: readSearch,
  loaderDeps: ({ search: { on, off } }) => ({
    ...(on === undefined ? {} : { on }),
    ...(off === undefined ? {} : { off }),
  }),
  loader: ({ params, deps }) => {
    const shown = shownEnvironments(params.organization, params.project);
    // Else it has to be known first which there are.
    if (!shown) return;
    const keys = asked(shown, deps);
    void queries.prefetchQuery(flagIndexQuery(params.organization, params.project, keys));
  },
  component: lazyRouteComponent(() => import("../home"), "Home"),
});

export const flag = createRoute({
  getParentRoute: () => project,
  path: "flags/$flag",
  loader: ({ params }) => {
    const { organization, project, flag } = params;
    void queries.prefetchQuery(flagQuery(organization, project, flag));
  },
  component: lazyRouteComponent(
    () => withWords("flag", import("@/features/flag/page")),
    "FlagPage",
  ),
});

export const flagIndex = createRoute({
  getParentRoute: () => flag,
  path: "/",
  component: lazyRouteComponent(
    () => withWords("flag", import("@/features/flag/page")),
    "FirstEnvironment",
  ),
});

export const flagHistory = createRoute({
  getParentRoute: () => flag,
  path: "history",
  validateSearch: ({ environment }: Record<string, unknown>): { environment?: string } =>
    typeof environment === "string" ? { environment } : {},
  loaderDeps: ({ search }) => search,
  loader: ({ params: { organization, project, flag }, deps: { environment = "" } }) => {
    void queries.prefetchInfiniteQuery(flagHistoryQuery(organization, project, flag, environment));
  },
  component: lazyRouteComponent(
    () => withWords("flag", import("@/features/flag/history")),
    "FlagHistory",
  ),
});

/** `…/history/prod/41`: what it was then. */
export const flagPast = createRoute({
  getParentRoute: () => flag,
  path: "history/$environment/$version",
  component: lazyRouteComponent(
    () => withWords("review", withWords("flag", import("@/features/flag/past"))),
    "FlagPast",
  ),
});

export const flagEnvironment = createRoute({
  getParentRoute: () => flag,
  path: "$environment",
  // `?do=off`, `?share=10`: a link for whoever may do it.
  validateSearch: (search: Record<string, unknown>): { do?: "on" | "off"; share?: number } => {
    const share = Number(search["share"] ?? Number.NaN);
    if (search["do"] === "on" || search["do"] === "off") return { do: search["do"] };
    return share >= 0 && share <= 100 ? { share } : {};
  },
  component: lazyRouteComponent(
    () => withWords("flag", withWords("why", import("@/features/flag/environment"))),
    "FlagEnvironment",
  ),
});

/** `…/prod/why?user=ana`: the same page, with the answer on it. */
export const flagWhy = createRoute({
  getParentRoute: () => flagEnvironment,
  path: "why",
  validateSearch: readWhy,
});
