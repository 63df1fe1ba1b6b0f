/** What Home says above its list. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";

const DAY_MS = 86_400_000;

/** As many are shown; that there are more is said. */
export const MOST_RECENT = 20;

/** Changes of the last 24 hours, the newest first. */
export const recentQuery = (organization: string, project: string) =>
  queryOptions({
    queryKey: ["changes", organization, project, "recent"],
    queryFn: async ({ signal }) => {
      const from = new Date(Date.now() - DAY_MS).toISOString();
      const query = { project, from, limit: MOST_RECENT };
      const page = dataOf(
        await api(organization).GET("/api/v1/changes", { params: { query }, signal }),
      );
      return { items: page.items, more: page.next != null };
    },
    staleTime: 60_000,
  });

/** What somebody is asked for: requests of these alone. */
export const waitingQuery = (organization: string, which: "forMe" | "stopped", project: string) =>
  queryOptions({
    queryKey: ["requests", organization, which, project],
    queryFn: async ({ signal }) => {
      const asked = which === "forMe" ? { forMe: true } : { state: "stopped" as const, project };
      const query = { limit: 20, ...asked };
      return dataOf(await api(organization).GET("/api/v1/requests", { params: { query }, signal }))
        .items;
    },
    staleTime: Infinity,
  });
