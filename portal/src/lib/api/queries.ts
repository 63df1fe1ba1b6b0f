/** What is asked for, each under the key by which events say that it changed. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { type Schemas, api, dataOf } from "./client";

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: async ({ signal }) => dataOf(await api("").GET("/api/v1/session", { signal })),
  staleTime: Infinity,
  retry: false,
});

export const settingsQuery = (organization: string) =>
  queryOptions({
    queryKey: ["settings", organization],
    queryFn: async ({ signal }) =>
      dataOf(await api(organization).GET("/api/v1/me/settings", { signal })),
    staleTime: Infinity,
  });

export const projectsQuery = (organization: string) =>
  queryOptions({
    queryKey: ["projects", organization],
    queryFn: async ({ signal }) => {
      const query = { limit: 500 };
      const answer = await api(organization).GET("/api/v1/projects", { params: { query }, signal });
      return dataOf(answer).items;
    },
    staleTime: Infinity,
  });

export const environmentsQuery = (organization: string, project: string) =>
  queryOptions({
    queryKey: ["environments", organization, project],
    queryFn: async ({ signal }) => {
      const path = "/api/v1/projects/{project}/environments";
      const answer = await api(organization).GET(path, { params: { path: { project } }, signal });
      return dataOf(answer).items;
    },
    staleTime: Infinity,
  });

const indexes = new Map<string, { tag: string; data: Schemas["FlagIndex"] }>();

export const flagIndexQuery = (organization: string, project: string, environments: string[]) =>
  queryOptions({
    queryKey: ["flagIndex", organization, project, environments],
    queryFn: async ({ signal }) => {
      const key = JSON.stringify([organization, project, environments]);
      const known = indexes.get(key);
      const { data, response } = await api(organization).GET(
        "/api/v1/projects/{project}/flag-index",
        {
          params: {
            path: { project },
            query: { environments: environments.join(","), stale: true, onIn: true },
          },
          headers: known ? { "If-None-Match": known.tag } : {},
          signal,
        },
      );
      if (response.status === 304 && known) return known.data;
      const fresh = dataOf({ data: data as Schemas["FlagIndex"] });
      indexes.set(key, { tag: response.headers.get("etag") ?? "", data: fresh });
      return fresh;
    },
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });

export const flagQuery = (organization: string, project: string, flag: string) =>
  queryOptions({
    queryKey: ["flag", organization, project, flag],
    queryFn: async ({ signal }) => {
      const path = "/api/v1/projects/{project}/flags/{flag}";
      const params = { path: { project, flag } };
      return dataOf(await api(organization).GET(path, { params, signal }));
    },
    staleTime: Infinity,
  });

export const inboxQuery = (organization: string) =>
  queryOptions({
    queryKey: ["inbox", organization],
    queryFn: async ({ signal }) => dataOf(await api(organization).GET("/api/v1/inbox", { signal })),
    staleTime: Infinity,
  });

export const propertiesQuery = (organization: string, project: string, environment: string) =>
  queryOptions({
    queryKey: ["properties", organization, project, environment],
    queryFn: async ({ signal }) => {
      const path = "/api/v1/projects/{project}/environments/{environment}/properties";
      const params = { path: { project, environment } };
      return dataOf(await api(organization).GET(path, { params, signal }));
    },
    staleTime: 60_000,
    retry: false,
  });

export const segmentsQuery = (organization: string, project: string, environment: string) =>
  queryOptions({
    queryKey: ["segments", organization, project, environment],
    queryFn: async ({ signal }) => {
      const path = "/api/v1/projects/{project}/environments/{environment}/segments";
      const query = { withShared: true, limit: 500 };
      const params = { path: { project, environment }, query };
      return dataOf(await api(organization).GET(path, { params, signal })).items;
    },
    staleTime: 60_000,
  });
