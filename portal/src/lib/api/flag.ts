/** What the page of a flag asks for, beside the flag itself. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { type Command, Refused, api, dataOf } from "./client";

/** What people have said about properties; offered also where no user has sent them yet. */
export const knownPropertiesQuery = (organization: string, project: string) =>
  queryOptions({
    queryKey: ["userProperties", organization, project],
    queryFn: async ({ signal }) => {
      const path = "/api/v1/projects/{project}/user-properties";
      const params = { path: { project } };
      return dataOf(await api(organization).GET(path, { params, signal })).items;
    },
    staleTime: 60_000,
    retry: false,
  });

export type Span = "hour" | "day" | "month";

/** From when, and in which steps, counts are asked for. */
const SPANS = {
  hour: { back: 3_600_000, by: "minute" },
  day: { back: 86_400_000, by: "hour" },
  month: { back: 30 * 86_400_000, by: "day" },
} as const;

/** How often each variation was served of late. */
export const countsQuery = (
  organization: string,
  project: string,
  environment: string,
  flag: string,
  span: Span,
) =>
  queryOptions({
    queryKey: ["counts", organization, project, environment, flag, span],
    queryFn: async ({ signal }) => {
      const { back, by } = SPANS[span];
      const from = new Date(Date.now() - back).toISOString();
      const path = "/api/v1/projects/{project}/flags/{flag}/counts";
      const params = { path: { project, flag }, query: { environment, from, by } };
      return dataOf(await api(organization).GET(path, { params, signal }));
    },
    staleTime: 15_000,
    refetchInterval: 60_000,
    placeholderData: keepPreviousData,
    retry: false,
  });

/** When a flag was evaluated in an environment. */
export const activityQuery = (organization: string, project: string, environment: string) =>
  queryOptions({
    queryKey: ["activity", organization, project, environment],
    queryFn: async ({ signal }) => {
      const path = "/api/v1/projects/{project}/environments/{environment}/activity";
      const params = { path: { project, environment } };
      return dataOf(await api(organization).GET(path, { params, signal }));
    },
    staleTime: 60_000,
    retry: false,
  });

/** The change sets that last turned a flag on, and off, in an environment. */
export const switchedQuery = (
  organization: string,
  project: string,
  environment: string,
  flag: string,
) =>
  queryOptions({
    queryKey: ["switched", organization, project, environment, flag],
    queryFn: async ({ signal }) => {
      const last = async (kind: "turnOn" | "turnOff") => {
        const path = "/api/v1/projects/{project}/environments/{environment}/changes";
        const query = { flag, kind, limit: 1 };
        const params = { path: { project, environment }, query };
        return dataOf(await api(organization).GET(path, { params, signal })).items[0];
      };
      const [on, off] = await Promise.all([last("turnOn"), last("turnOff")]);
      return { on, off };
    },
    staleTime: Infinity,
    retry: false,
  });

/** A flag as it was in an environment at a version; null where it was not released. */
export const pastFlagQuery = (
  organization: string,
  project: string,
  environment: string,
  flag: string,
  version: number,
) =>
  queryOptions({
    queryKey: ["pastFlag", organization, project, environment, flag, version],
    queryFn: async ({ signal }) => {
      const path = "/api/v1/projects/{project}/environments/{environment}/flags/{flag}";
      const params = { path: { project, environment, flag }, query: { version } };
      try {
        return dataOf(await api(organization).GET(path, { params, signal }));
      } catch (error) {
        if (error instanceof Refused && error.status === 404) return null;
        throw error;
      }
    },
    // What was stays.
    staleTime: Infinity,
  });

/** Which flags of an environment need which. */
export const prerequisitesQuery = (organization: string, project: string, environment: string) =>
  queryOptions({
    queryKey: ["prerequisites", organization, project, environment],
    queryFn: async ({ signal }) => {
      const path = "/api/v1/projects/{project}/environments/{environment}/prerequisites";
      const params = { path: { project, environment } };
      return dataOf(await api(organization).GET(path, { params, signal }));
    },
    staleTime: Infinity,
    retry: false,
  });

/** For how many known users each part of a flag decides; of a draft, where there is one. */
export const audienceQuery = (
  organization: string,
  project: string,
  environment: string,
  flag: string,
  commands: Command[],
) =>
  queryOptions({
    queryKey: ["audience", organization, project, environment, flag, commands],
    queryFn: async ({ signal }) => {
      const path = "/api/v1/projects/{project}/environments/{environment}/flags/{flag}/audience";
      const params = { path: { project, environment, flag } };
      const body = commands.length > 0 ? { commands } : {};
      return dataOf(await api(organization).POST(path, { params, body, signal }));
    },
    staleTime: 60_000,
    placeholderData: keepPreviousData,
    // Who may not see users sees the flag all the same.
    retry: false,
  });

/** What was done with a flag, newest first; in one environment, where one is named. */
export const flagHistoryQuery = (
  organization: string,
  project: string,
  flag: string,
  environment: string,
) =>
  infiniteQueryOptions({
    queryKey: ["changes", organization, project, "flag", flag, environment],
    queryFn: async ({ pageParam, signal }) => {
      const query = {
        flag,
        limit: 50,
        ...(environment === "" ? {} : { environment }),
        ...(pageParam === "" ? {} : { cursor: pageParam }),
      };
      const params = { path: { project }, query };
      const path = "/api/v1/projects/{project}/changes";
      return dataOf(await api(organization).GET(path, { params, signal }));
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next ?? undefined,
    staleTime: Infinity,
  });
