/** The organization, and who is in it: what is asked for, and under which keys. */
import { queryOptions } from "@tanstack/react-query";
import { api, taggedOf } from "./client";

export const organizationQuery = (organization: string) =>
  queryOptions({
    queryKey: ["organization", organization],
    queryFn: async ({ signal }) =>
      taggedOf(await api(organization).GET("/api/v1/organization", { signal })),
    staleTime: Infinity,
  });
