/** End users of an environment, and what they get. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { Edit } from "@/lib/draft/edit";
import type { PropertyTypes } from "../property-type";
import { Refused, type Schemas, api, dataOf } from "./client";

/** Whom to evaluate for, and in which state. */
export interface Question {
  key: string;
  /** In place of what is known of them; `name` is their name. */
  properties?: Record<string, string> | undefined;
  /** What of those is more than a text. */
  types?: PropertyTypes | undefined;
  /** A version that was; the present where absent. */
  version?: number | undefined;
  /** What is not applied yet. */
  commands?: Edit[] | undefined;
}

export const IN_ENVIRONMENT = "/api/v1/projects/{project}/environments/{environment}";

/** So many flags are in a page of an evaluation of all of them. */
const FLAGS = 500;

/** What flags give somebody; page by page where none is named. */
export async function evaluate(
  organization: string,
  place: { project: string; environment: string },
  { key, properties, types, version, commands }: Question,
  more: { flag?: string; cursor?: string; limit?: number },
  signal: AbortSignal,
): Promise<Schemas["Evaluation"]> {
  const ask = async (given: Question["properties"]) => {
    const { name = "", ...rest } = given ?? {};
    const body: Schemas["Question"] = {
      key,
      ...more,
      ...(given ? { name, properties: rest, types: types ?? {} } : {}),
      ...(version === undefined ? {} : { version }),
      ...(commands && version === undefined ? { commands } : {}),
    };
    const options = { params: { path: place }, body, signal };
    const client = api(organization);
    // Of one flag all is told: its steps, and since which change it is so.
    return more.flag === undefined
      ? dataOf(await client.POST(`${IN_ENVIRONMENT}/evaluate`, options))
      : dataOf(await client.POST(`${IN_ENVIRONMENT}/evaluate/explain`, options));
  };
  if (properties) return ask(properties);
  try {
    return await ask(undefined);
  } catch (error) {
    // Nobody of this key was seen there: then it is somebody of whom nothing is known.
    if (error instanceof Refused && error.status === 404) return ask({});
    throw error;
  }
}

/** What all flags give somebody. */
export const allFlagsQuery = (
  organization: string,
  project: string,
  environment: string,
  question: Question,
) =>
  infiniteQueryOptions({
    queryKey: ["evaluate", organization, project, environment, null, question],
    queryFn: ({ pageParam, signal }) => {
      const more = pageParam === "" ? { limit: FLAGS } : { limit: FLAGS, cursor: pageParam };
      return evaluate(organization, { project, environment }, question, more, signal);
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next ?? undefined,
    staleTime: 30_000,
    retry: false,
  });

/** So many users are in a page of the list. */
const USERS = 200;

/** Known users: by the beginning of key or name, or by anything in them. */
export const usersQuery = (
  organization: string,
  project: string,
  environment: string,
  { q = "", anywhere = false }: { q?: string; anywhere?: boolean },
) =>
  infiniteQueryOptions({
    queryKey: ["users", organization, project, environment, q, anywhere],
    queryFn: async ({ pageParam, signal }) => {
      const query = {
        limit: USERS,
        ...(q === "" ? {} : anywhere ? { contains: q } : { search: q }),
        ...(pageParam === "" ? {} : { cursor: pageParam }),
      };
      const params = { path: { project, environment }, query };
      const path = `${IN_ENVIRONMENT}/users` as const;
      return dataOf(await api(organization).GET(path, { params, signal }));
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next ?? undefined,
    staleTime: 30_000,
  });

export const userQuery = (
  organization: string,
  project: string,
  environment: string,
  key: string,
) =>
  queryOptions({
    queryKey: ["users", organization, project, environment, "one", key],
    queryFn: async ({ signal }) => {
      const params = { path: { project, environment, key } };
      const path = `${IN_ENVIRONMENT}/users/{key}` as const;
      return dataOf(await api(organization).GET(path, { params, signal }));
    },
    staleTime: 30_000,
    retry: false,
  });
