/** What is asked for to say why: apart, since the pages before it do not ask it. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";
import { IN_ENVIRONMENT, type Question, evaluate } from "./users";

/** What a flag gives somebody, with the steps that led to it. */
export const whyQuery = (
  organization: string,
  project: string,
  environment: string,
  flag: string,
  question: Question,
) =>
  queryOptions({
    queryKey: ["evaluate", organization, project, environment, flag, question],
    queryFn: ({ signal }) =>
      evaluate(organization, { project, environment }, question, { flag }, signal),
    enabled: question.key !== "",
    staleTime: 30_000,
    retry: false,
  });

/** Known users whose key or name begins so, a few of them. */
export const someUsersQuery = (
  organization: string,
  project: string,
  environment: string,
  search: string,
) =>
  queryOptions({
    queryKey: ["users", organization, project, environment, "some", search],
    queryFn: async ({ signal }) => {
      const query = search === "" ? { limit: 8 } : { limit: 8, search };
      const params = { path: { project, environment }, query };
      const path = `${IN_ENVIRONMENT}/users` as const;
      return dataOf(await api(organization).GET(path, { params, signal })).items;
    },
    staleTime: 30_000,
    retry: false,
  });

/** What was changed in an environment, newest first: of one flag, or of all. */
export const versionsQuery = (
  organization: string,
  project: string,
  environment: string,
  flag: string | undefined,
) =>
  queryOptions({
    queryKey: ["changes", organization, project, "versions", environment, flag],
    queryFn: async ({ signal }) => {
      const query = flag === undefined ? { limit: 12 } : { limit: 12, flag };
      const params = { path: { project, environment }, query };
      const path = `${IN_ENVIRONMENT}/changes` as const;
      return dataOf(await api(organization).GET(path, { params, signal })).items;
    },
    staleTime: Infinity,
  });

/** The version of an environment at a moment. */
export async function versionAt(
  organization: string,
  project: string,
  environment: string,
  to: string,
): Promise<number> {
  const params = { path: { project, environment }, query: { to, limit: 1 } };
  const path = `${IN_ENVIRONMENT}/changes` as const;
  const { items } = dataOf(await api(organization).GET(path, { params }));
  // Before the first one nothing was released.
  return items[0]?.versions[`${project}/${environment}`] ?? 0;
}
