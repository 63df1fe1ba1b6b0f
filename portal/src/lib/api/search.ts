/** Finding things by their names. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";

export const searchQuery = (organization: string, text: string, kinds: string | undefined) =>
  queryOptions({
    queryKey: ["search", organization, text, kinds ?? ""],
    queryFn: async ({ signal }) => {
      const query = { q: text.slice(0, 100), limit: 20, ...(kinds ? { kinds } : {}) };
      return dataOf(await api(organization).GET("/api/v1/search", { params: { query }, signal }));
    },
    enabled: text !== "",
    placeholderData: keepPreviousData,
  });

/** Requests that are found by their titles: those that were changed last. */
export const requestsToNameQuery = (organization: string) =>
  queryOptions({
    queryKey: ["requests", organization, "names"],
    queryFn: async ({ signal }) => {
      const query = { limit: 200 };
      return dataOf(await api(organization).GET("/api/v1/requests", { params: { query }, signal }))
        .items;
    },
    staleTime: Infinity,
  });
