/** Environments side by side, and sets that are worked out from one for another. */
import { type QueryClient, infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { Draft } from "@/lib/draft/draft";
import { editsOf } from "@/lib/draft/edit";
import { type Pair, readPair, writtenPair } from "@/lib/pairs";
import { Refused, type Schemas, api, dataOf } from "./client";

export type TargetingFacet = Schemas["TargetingFacet"];

const ENVIRONMENT = "/api/v1/projects/{project}/environments/{environment}";
const PAGE = 100;

/** The flags that differ, page by page. */
export const comparisonQuery = (organization: string, project: string, pair: Pair) =>
  infiniteQueryOptions({
    queryKey: ["comparison", organization, project, writtenPair(pair)],
    queryFn: async ({ pageParam, signal }) => {
      const environments = `${pair.from},${pair.to}`;
      const cursor = pageParam === "" ? {} : { cursor: pageParam };
      const query = { environments, differing: true, limit: PAGE, ...cursor };
      const params = { path: { project }, query };
      const path = "/api/v1/projects/{project}/compare";
      return dataOf(await api(organization).GET(path, { params, signal }));
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next ?? undefined,
    staleTime: Infinity,
  });

/** The variations of a project's flags by the flag's key: sides name them by ids. */
export const variationsQuery = (organization: string, project: string) =>
  queryOptions({
    queryKey: ["comparison", organization, project, "variations"],
    queryFn: async ({ signal }) => {
      const found = new Map<string, Schemas["FlagView"]["variations"]>();
      let cursor: string | undefined;
      do {
        const more = cursor === undefined ? {} : { cursor };
        const params = { path: { project }, query: { limit: 500, ...more } };
        const path = "/api/v1/projects/{project}/flags";
        const page = dataOf(await api(organization).GET(path, { params, signal }));
        for (const { key, variations } of page.items) found.set(key, variations);
        cursor = page.next ?? undefined;
      } while (cursor !== undefined);
      return found;
    },
    staleTime: Infinity,
    // No JSON: it would not be compared with what was there.
    structuralSharing: false,
  });

/** One flag, all of its parts. */
export const flagComparisonQuery = (
  organization: string,
  project: string,
  pair: Pair,
  flag: string,
) =>
  queryOptions({
    queryKey: ["comparison", organization, project, writtenPair(pair), flag],
    queryFn: async ({ signal }) => {
      const query = { environments: `${pair.from},${pair.to}`, flag };
      const params = { path: { project }, query };
      const path = "/api/v1/projects/{project}/compare";
      const { items } = dataOf(await api(organization).GET(path, { params, signal }));
      return items[0] ?? null;
    },
    staleTime: Infinity,
  });

/** An environment's own segments, with all their users. */
export const stateSegmentsQuery = (organization: string, project: string, environment: string) =>
  queryOptions({
    queryKey: ["segments", organization, project, environment, "state"],
    queryFn: async ({ signal }) => {
      const segments: Schemas["PastSegment"][] = [];
      let version = 0;
      let cursor: string | undefined;
      do {
        const more = cursor === undefined ? {} : { cursor };
        const query = { of: "segments" as const, limit: 100, ...more };
        const params = { path: { project, environment }, query };
        const path = `${ENVIRONMENT}/state` as const;
        const page = dataOf(await api(organization).GET(path, { params, signal }));
        segments.push(...page.segments);
        version = page.version;
        cursor = page.next ?? undefined;
      } while (cursor !== undefined);
      return { version, segments };
    },
    staleTime: Infinity,
  });

/** Asks for what a page of the address shows, as far as its environments are known. */
export function prefetchComparison(
  queries: QueryClient,
  environments: readonly Schemas["EnvironmentView"][],
  at: { organization: string; project: string; pair: string; flag?: string },
): void {
  const { organization, project, flag } = at;
  const pair = readPair(at.pair, environments);
  if (!pair) return;
  if (flag === undefined) {
    void queries.prefetchInfiniteQuery(comparisonQuery(organization, project, pair));
  } else void queries.prefetchQuery(flagComparisonQuery(organization, project, pair, flag));
}

export interface Taking {
  pair: Pair;
  flags: string[];
  facets: TargetingFacet[];
  /** What becomes of rules about segments that the source alone has. */
  segments: Schemas["SegmentsOf"];
}

export interface Taken {
  draft: Draft;
  warnings: Schemas["Warning"][];
  /** Flags that were left out: their rules are about segments that the source alone has. */
  left: string[];
}

/** What gives flags in one environment what they have in another; nothing is changed yet. */
export async function promotion(
  organization: string,
  project: string,
  { pair, flags, facets, segments }: Taking,
): Promise<Taken> {
  const left: string[] = [];
  let asked = flags;
  for (;;) {
    if (asked.length === 0) return { draft: { base: {}, commands: [] }, warnings: [], left };
    try {
      const params = { path: { project, environment: pair.from } };
      const body: Schemas["Promote"] = {
        to: pair.to,
        flags: asked,
        facets,
        targets: facets.includes("targets") ? "copy" : "skip",
        environmentSegments: segments,
        dryRun: true,
      };
      const path = `${ENVIRONMENT}/promote` as const;
      const plan = dataOf(await api(organization).POST(path, { params, body }));
      const commands = editsOf(plan.commands, project);
      return { draft: { base: plan.base, commands }, warnings: plan.warnings, left };
    } catch (error) {
      const named = stuck(error);
      const gone = asked.filter((_, at) => named.has(at));
      if (gone.length === 0 || flags.length === 1) throw error;
      left.push(...gone);
      asked = asked.filter((_, at) => !named.has(at));
    }
  }
}

/** The places of flags that name segments which the target does not have. */
function stuck(error: unknown): Set<number> {
  if (!(error instanceof Refused)) return new Set();
  const about = (error.problem?.errors ?? []).filter((it) => it.code === "environmentSegments");
  return new Set(about.map(({ pointer }) => Number(/^\/flags\/(\d+)/.exec(pointer)?.[1] ?? -1)));
}

/** What leads an environment back to one of its versions; nothing is changed yet. */
export async function wayBack(
  organization: string,
  project: string,
  environment: string,
  version: number,
): Promise<Schemas["PlannedResult"]> {
  const params = { path: { project, environment } };
  const body = { version, dryRun: true };
  return dataOf(await api(organization).POST(`${ENVIRONMENT}/revert`, { params, body }));
}
