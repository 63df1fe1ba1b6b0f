/** Relays, and the keys that they are fed by. */
import { queryOptions } from "@tanstack/react-query";
import { type Schemas, api, dataOf, ifMatch, taggedOf } from "./client";

export type RelayKey = Schemas["RelayKeyView"];
export type RelayAgent = Schemas["RelayAgentView"];

interface Part<T> {
  items: T[];
  next?: string | null | undefined;
}

type Query = { limit: number; cursor?: string };

/** All pages of it. */
async function all<T>(ask: (query: Query) => Promise<Part<T>>): Promise<T[]> {
  const found: T[] = [];
  let query: Query | undefined = { limit: 500 };
  while (query) {
    const page: Part<T> = await ask(query);
    found.push(...page.items);
    query = page.next == null ? undefined : { limit: 500, cursor: page.next };
  }
  return found;
}

export const relayKeysQuery = (organization: string) =>
  queryOptions({
    queryKey: ["relayKeys", organization],
    queryFn: ({ signal }) =>
      all<RelayKey>(async (query) =>
        dataOf(await api(organization).GET("/api/v1/relay-keys", { params: { query }, signal })),
      ),
    staleTime: Infinity,
  });

/** The environments of all projects, to choose among. */
export const allEnvironmentsQuery = (organization: string) =>
  queryOptions({
    queryKey: ["allEnvironments", organization],
    queryFn: async ({ signal }) =>
      dataOf(await api(organization).GET("/api/v1/environments", { signal })).items,
  });

/** One of them, as it is edited. */
export const relayKeyQuery = (organization: string, id: string) =>
  queryOptions({
    queryKey: ["relayKeys", organization, id],
    queryFn: async ({ signal }) => {
      const params = { path: { id } };
      return taggedOf(await api(organization).GET("/api/v1/relay-keys/{id}", { params, signal }));
    },
    staleTime: Infinity,
  });

/** Who comes and goes is no change: it is asked for while somebody looks. */
const SEEN_MS = 10_000;

export const relayAgentsQuery = (organization: string) =>
  queryOptions({
    queryKey: ["relayAgents", organization],
    queryFn: ({ signal }) =>
      all<RelayAgent>(async (query) =>
        dataOf(await api(organization).GET("/api/v1/relay-agents", { params: { query }, signal })),
      ),
    refetchInterval: SEEN_MS,
  });

export async function createRelayKey(organization: string, body: Schemas["NewRelayKeyBody"]) {
  return dataOf(await api(organization).POST("/api/v1/relay-keys", { body }));
}

export async function saveRelayKey(
  organization: string,
  id: string,
  body: Schemas["RelayKeyUpdate"],
  tag: string,
) {
  const options = { params: { path: { id } }, body, headers: ifMatch(tag) };
  await api(organization).PATCH("/api/v1/relay-keys/{id}", options);
}

export async function rotateRelayKey(organization: string, id: string, graceSeconds: number) {
  const options = { params: { path: { id } }, body: { graceSeconds } };
  return dataOf(await api(organization).POST("/api/v1/relay-keys/{id}/rotate", options));
}

export async function revokeRelayKey(organization: string, id: string) {
  await api(organization).DELETE("/api/v1/relay-keys/{id}", { params: { path: { id } } });
}

export async function removeRelayAgent(organization: string, id: string) {
  await api(organization).DELETE("/api/v1/relay-agents/{id}", { params: { path: { id } } });
}
