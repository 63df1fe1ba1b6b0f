/** How far changes came, and the SDKs that are connected. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { type Delivered, withGone } from "@/lib/delivery";
import { type Schemas, api, dataOf } from "./client";
import type { Place } from "./environments";

/** The stream tells of what moves; a server that crashed tells nothing. */
const AGAIN_MS = 15_000;

/** Who has a change set: its id or its number. */
export const deliveryQuery = (organization: string, id: string) =>
  queryOptions({
    queryKey: ["delivery", organization, id],
    queryFn: async ({ client, queryKey, signal }) => {
      const params = { path: { id } };
      const path = "/api/v1/changes/{id}/delivery";
      const now = dataOf(await api(organization).GET(path, { params, signal }));
      return withGone(client.getQueryData<Delivered>(queryKey), now);
    },
    refetchInterval: AGAIN_MS,
  });

/** Which connections are listed, as it stands in the address. */
export interface ConnectionFilter {
  kind?: Schemas["KeyKind"];
  behind?: true;
}

export function readConnectionFilter({ kind, behind }: Record<string, unknown>): ConnectionFilter {
  return {
    ...(kind === "client" || kind === "server" ? { kind } : {}),
    ...(behind === true || behind === "true" ? { behind: true as const } : {}),
  };
}

const PAGE = 100;

export const connectionsQuery = (
  { organization, project, environment }: Place,
  filter: ConnectionFilter,
) =>
  infiniteQueryOptions({
    queryKey: ["connections", organization, project, environment, filter],
    queryFn: async ({ pageParam, signal }) => {
      const path = "/api/v1/projects/{project}/environments/{environment}/connections";
      const cursor = pageParam === "" ? {} : { cursor: pageParam };
      const query = { limit: PAGE, ...filter, ...cursor };
      const params = { path: { project, environment }, query };
      return dataOf(await api(organization).GET(path, { params, signal }));
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next ?? undefined,
    refetchInterval: AGAIN_MS,
  });
