/** Users who were seen in an environment. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";

/** Where users are looked for. */
export interface UsersPlace {
  organization: string;
  project: string;
  environment: string;
}

/** So many are offered while somebody types. */
const OFFERED = 5;

/** Known users whose key or name begins like this, a few of them. */
export const knownUsersQuery = (place: UsersPlace | undefined, search: string) =>
  queryOptions({
    queryKey: ["users", place?.organization, place?.project, place?.environment, "offered", search],
    queryFn: async ({ signal }) => {
      const { organization = "", project = "", environment = "" } = place ?? {};
      const path = "/api/v1/projects/{project}/environments/{environment}/users";
      const params = { path: { project, environment }, query: { search, limit: OFFERED } };
      return dataOf(await api(organization).GET(path, { params, signal })).items;
    },
    enabled: place !== undefined && search !== "",
    staleTime: 60_000,
    retry: false,
  });
