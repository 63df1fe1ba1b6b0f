/** Segments: lists of each place, one of them, and what was done with it. */
import {
  type QueryClient,
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
} from "@tanstack/react-query";
import { type Segment, type SegmentPlace, placeAt } from "@/lib/model/segment";
import { stampOf } from "@/lib/stamp";
import { type Schemas, api, dataOf } from "./client";

const keyOf = ({ project, environment }: SegmentPlace) => [project ?? "", environment ?? ""];

const PAGE = 500;

type Page = Schemas["Page_ListedSegmentView"];

async function page(
  organization: string,
  { project, environment }: SegmentPlace,
  query: { state: Schemas["FlagState"]; limit: number; usedBy: true; cursor?: string },
  signal: AbortSignal,
): Promise<Page> {
  const client = api(organization);
  if (project === undefined) {
    return dataOf(await client.GET("/api/v1/segments", { params: { query }, signal }));
  }
  if (environment === undefined) {
    const params = { path: { project }, query };
    return dataOf(await client.GET("/api/v1/projects/{project}/segments", { params, signal }));
  }
  const path = "/api/v1/projects/{project}/environments/{environment}/segments";
  const params = { path: { project, environment }, query };
  return dataOf(await client.GET(path, { params, signal }));
}

/** The segments that belong to a place, and to it alone; each with how many flags name it. */
export const segmentListQuery = (
  organization: string,
  place: SegmentPlace,
  state: Schemas["FlagState"],
) =>
  queryOptions({
    queryKey: ["segments", organization, ...keyOf(place), "own", state],
    queryFn: async ({ signal }) => {
      const items: Page["items"] = [];
      let cursor: string | undefined;
      do {
        const more = cursor === undefined ? {} : { cursor };
        const got = await page(
          organization,
          place,
          { state, limit: PAGE, usedBy: true, ...more },
          signal,
        );
        items.push(...got.items);
        cursor = got.next ?? undefined;
      } while (cursor !== undefined);
      return items;
    },
    staleTime: Infinity,
  });

export const segmentQuery = (organization: string, place: SegmentPlace, segment: string) =>
  queryOptions({
    queryKey: ["segment", organization, ...keyOf(place), segment],
    queryFn: async ({ signal }) => {
      const { project, environment } = place;
      const client = api(organization);
      if (project === undefined) {
        const params = { path: { segment } };
        return dataOf(await client.GET("/api/v1/segments/{segment}", { params, signal }));
      }
      if (environment === undefined) {
        const path = "/api/v1/projects/{project}/segments/{segment}";
        const params = { path: { project, segment } };
        return dataOf(await client.GET(path, { params, signal }));
      }
      const path = "/api/v1/projects/{project}/environments/{environment}/segments/{segment}";
      const params = { path: { project, environment, segment } };
      return dataOf(await client.GET(path, { params, signal }));
    },
    staleTime: Infinity,
  });

/** What was done with it, newest first. */
export const segmentHistoryQuery = (
  organization: string,
  { project, environment }: SegmentPlace,
  segment: string,
) =>
  infiniteQueryOptions({
    queryKey: ["changes", organization, project ?? "", environment ?? "", "segment", segment],
    queryFn: async ({ pageParam, signal }) => {
      const query = {
        segment,
        limit: 20,
        ...(project === undefined ? {} : { project }),
        ...(environment === undefined ? {} : { environment }),
        ...(pageParam === "" ? {} : { cursor: pageParam }),
      };
      const answer = await api(organization).GET("/api/v1/changes", { params: { query }, signal });
      return dataOf(answer);
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next ?? undefined,
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });

/**
 * Whom a segment would take in, of the users known in an environment. The question has all of it:
 * no change makes the answer old.
 */
export const audienceQuery = (
  organization: string,
  project: string,
  environment: string,
  { included, excluded, rules }: Pick<Segment, "included" | "excluded" | "rules">,
) =>
  queryOptions({
    queryKey: [
      "segmentAudience",
      organization,
      project,
      environment,
      ...[included, excluded, rules].map(stampOf),
    ],
    queryFn: async ({ signal }) => {
      const path = "/api/v1/projects/{project}/environments/{environment}/segment-audience";
      const params = { path: { project, environment } };
      const body = { included, excluded, rules };
      return dataOf(await api(organization).POST(path, { params, body, signal }));
    },
    staleTime: 60_000,
    // Lists of a hundred thousand are not kept once nobody looks.
    gcTime: 0,
    retry: false,
  });

/** Asks for the lists of a project: what is shared, and of some environments. */
export function prefetchLists(
  queries: QueryClient,
  organization: string,
  project: string,
  environments: string[],
): void {
  const own = environments.map((environment) => ({ project, environment }));
  for (const place of [{}, { project }, ...own]) {
    void queries.prefetchQuery(segmentListQuery(organization, place, "live"));
  }
}

/** Asks for the segment of an address. */
export function prefetchSegment(
  queries: QueryClient,
  at: { organization: string; project: string; place: string; segment: string },
): void {
  const place = placeAt(at.project, at.place);
  void queries.prefetchQuery(segmentQuery(at.organization, place, at.segment));
}
