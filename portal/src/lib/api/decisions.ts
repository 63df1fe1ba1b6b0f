/** The log of decisions: what users were given, each held against the explanation. */
import { infiniteQueryOptions } from "@tanstack/react-query";
import { type DecisionFilter, asked } from "@/lib/decision-filter";
import { api, dataOf } from "./client";

/** More than this is not checked at once. */
const PAGE = 50;

export const decisionsQuery = (
  organization: string,
  project: string,
  environment: string,
  filter: DecisionFilter,
) =>
  infiniteQueryOptions({
    queryKey: ["decisions", organization, project, environment, filter],
    queryFn: async ({ pageParam, signal }) => {
      const all = { ...asked(filter), check: true, limit: PAGE };
      const query = pageParam === "" ? all : { ...all, cursor: pageParam };
      const path = "/api/v1/projects/{project}/environments/{environment}/decisions";
      const params = { path: { project, environment }, query };
      return dataOf(await api(organization).GET(path, { params, signal }));
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next ?? undefined,
    staleTime: 10_000,
    retry: false,
  });
