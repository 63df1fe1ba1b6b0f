/** The audit log: what was done, how long it is kept. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { AuditFilter } from "@/lib/audit-filter";
import { asked } from "@/lib/audit-filter";
import { api, dataOf, ifMatch, taggedOf } from "./client";

const PAGE = 100;

export const auditQuery = (organization: string, filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ["audit", organization, filter],
    queryFn: async ({ pageParam, signal }) => {
      const query = { ...asked(filter), limit: PAGE };
      const params = { query: pageParam === "" ? query : { ...query, cursor: pageParam } };
      return dataOf(await api(organization).GET("/api/v1/audit", { params, signal }));
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next ?? undefined,
    staleTime: Infinity,
  });

/** The number of the newest entry that a filter lets through: whether there are newer ones. */
export const newestEntryQuery = (organization: string, filter: AuditFilter) =>
  queryOptions({
    queryKey: ["auditNewest", organization, filter],
    queryFn: async ({ signal }) => {
      const query = { ...asked(filter), limit: 1 };
      const answer = await api(organization).GET("/api/v1/audit", { params: { query }, signal });
      return dataOf(answer).items[0]?.number ?? 0;
    },
    staleTime: Infinity,
  });

/** All entries of a filter as JSON lines. One that was cut off is an error. */
export async function exportAudit(organization: string, filter: AuditFilter): Promise<Blob> {
  const params = { query: asked(filter) };
  const answer = await api(organization).GET("/api/v1/audit/export", { params, parseAs: "blob" });
  const file = answer.data as unknown as Blob;
  const end = await file.slice(-1).text();
  if (file.size > 0 && end !== "\n") throw new Error("the answer was cut off");
  return file;
}

export const retentionQuery = (organization: string) =>
  queryOptions({
    queryKey: ["auditRetention", organization],
    queryFn: async ({ signal }) =>
      taggedOf(await api(organization).GET("/api/v1/audit/retention", { signal })),
    staleTime: Infinity,
  });

/** Keeps the log for so many days from now on; for ever where none are given. */
export async function setRetention(organization: string, days: number | null, tag: string) {
  const headers = ifMatch(tag);
  const answer = await api(organization).PUT("/api/v1/audit/retention", {
    body: { days },
    headers,
  });
  return taggedOf(answer);
}
