/** What is heard of programs: which keys they came with, and what they asked for. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";

/** Events say when something comes for the first time; after that it is looked at this often. */
export const LISTEN_MS = 5_000;

export const keysQuery = (organization: string, project: string, environment: string) =>
  queryOptions({
    queryKey: ["sdkKeys", organization, project, environment],
    queryFn: async ({ signal }) => {
      const path = "/api/v1/projects/{project}/environments/{environment}/sdk-keys";
      const params = { path: { project, environment } };
      return dataOf(await api(organization).GET(path, { params, signal })).items;
    },
  });

/** How often a flag was served in the last hour, looked at again and again. */
export const servedQuery = (
  organization: string,
  project: string,
  environment: string,
  flag: string,
) =>
  queryOptions({
    queryKey: ["served", organization, project, environment, flag],
    queryFn: async ({ signal }) => {
      const path = "/api/v1/projects/{project}/flags/{flag}/counts";
      const from = new Date(Date.now() - 3_600_000).toISOString();
      const params = {
        path: { project, flag },
        query: { environment, from, by: "minute" as const },
      };
      return dataOf(await api(organization).GET(path, { params, signal }));
    },
    refetchInterval: LISTEN_MS,
  });

/** Whether anything of a project was ever evaluated, by its first flag. Asked anew each time. */
export const firstUseQuery = (organization: string, project: string) =>
  queryOptions({
    queryKey: ["firstUse", organization, project],
    queryFn: async ({ signal }) => {
      const path = "/api/v1/projects/{project}/flags";
      const params = { path: { project }, query: { limit: 1 } };
      const { items } = dataOf(await api(organization).GET(path, { params, signal }));
      return { evaluated: items[0]?.firstEvaluatedAt != null };
    },
    gcTime: 0,
  });
