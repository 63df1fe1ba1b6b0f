/** Requests, their schedule, and the history: what is asked for, each under the key of `take`. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { type Schemas, api, dataOf } from "./client";

export const WHICH = ["open", "forMe", "mine", "done", "all"] as const;
export type Which = (typeof WHICH)[number];

/** A request that something can still become of. */
const OPEN = ["waiting", "approved", "declined", "stopped"] as const;
const isOpen = ({ state }: Schemas["RequestView"]) => OPEN.some((it) => it === state);

const PAGE = 100;

export const requestsQuery = (organization: string, which: Which) =>
  infiniteQueryOptions({
    queryKey: ["requests", organization, which],
    queryFn: async ({ pageParam, signal }) => {
      const list = async (more: { state?: Schemas["State"]; mine?: true; forMe?: true }) => {
        const query = { limit: PAGE, ...(pageParam === "" ? {} : { cursor: pageParam }), ...more };
        const path = "/api/v1/requests";
        return dataOf(await api(organization).GET(path, { params: { query }, signal }));
      };
      if (which === "open") {
        // Few, among however many that are done: asked for by their states.
        const pages = await Promise.all(OPEN.map((state) => list({ state })));
        const items = pages.flatMap((it) => it.items);
        return { items: items.toSorted(byChange), next: null };
      }
      const page = await list(which === "mine" || which === "forMe" ? { [which]: true } : {});
      const items = which === "done" ? page.items.filter((it) => !isOpen(it)) : page.items;
      return { items, next: page.next ?? null };
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next ?? undefined,
    staleTime: Infinity,
  });

function byChange(a: Schemas["RequestView"], b: Schemas["RequestView"]): number {
  return Number(b.awaitsYou) - Number(a.awaitsYou) || b.changedAt.localeCompare(a.changedAt);
}

export const requestQuery = (organization: string, id: string) =>
  queryOptions({
    queryKey: ["request", organization, id],
    queryFn: async ({ signal }) => {
      const params = { path: { id } };
      return dataOf(await api(organization).GET("/api/v1/requests/{id}", { params, signal }));
    },
    staleTime: Infinity,
  });

export const changeQuery = (organization: string, id: string) =>
  queryOptions({
    queryKey: ["change", organization, id],
    queryFn: async ({ signal }) => {
      const params = { path: { id } };
      return dataOf(await api(organization).GET("/api/v1/changes/{id}", { params, signal }));
    },
    staleTime: Infinity,
  });

/** What somebody made of a flag or a segment that edits are about, too. */
export const theirsQuery = (organization: string, collision: Schemas["Collision"]) =>
  queryOptions({
    queryKey: ["theirs", organization, collision.scope, collision.key, collision.version],
    queryFn: async ({ signal }) => {
      const [project = "", environment] = collision.scope.split("/");
      const query = {
        limit: 50,
        ...(collision.kind === "flag" ? { flag: collision.key } : { segment: collision.key }),
        ...(project === "" ? {} : { project }),
        ...(environment === undefined ? {} : { environment }),
      };
      const answer = await api(organization).GET("/api/v1/changes", { params: { query }, signal });
      const { items } = dataOf(answer);
      const change = items.find((it) => it.versions[collision.scope] === collision.version);
      return (change?.diff ?? []).filter(
        ({ params }) =>
          (params["flag"] ?? params["segment"]) === collision.key &&
          (params["environment"] ?? environment) === environment,
      );
    },
    // What was does not change.
    staleTime: Infinity,
    retry: false,
  });

/** Who could be asked; empty for those who may not see members. */
export const reviewersQuery = (organization: string) =>
  queryOptions({
    queryKey: ["members", organization, "reviewers"],
    queryFn: async ({ signal }) => {
      const query = { limit: 500 };
      const answer = await api(organization).GET("/api/v1/members", { params: { query }, signal });
      return dataOf(answer).items;
    },
    staleTime: 60_000,
    retry: false,
  });

const FILTERS = [
  "project",
  "environment",
  "flag",
  "segment",
  "actor",
  "kind",
  "from",
  "to",
  "text",
] as const;

/** What of the history is looked at, as it stands in the address. */
export type PastFilter = Partial<Record<(typeof FILTERS)[number], string>>;

/** What of an address is a filter; the rest is not there. */
export function readPast(search: Record<string, unknown>): PastFilter {
  const found = FILTERS.flatMap((name) => {
    const value = search[name];
    const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
    return text === "" ? [] : [[name, text] as const];
  });
  return Object.fromEntries(found);
}

/** A day of an address is the reader's own: from its beginning, or up to its end. */
export function momentOf(day: string, end: boolean): string | undefined {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day)?.slice(1).map(Number);
  if (!parts) return undefined;
  const [year = 0, month = 1, date = 1] = parts;
  return new Date(year, month - 1, date + (end ? 1 : 0)).toISOString();
}

export const pastQuery = (organization: string, filter: PastFilter) =>
  infiniteQueryOptions({
    queryKey: ["changes", organization, filter],
    queryFn: async ({ pageParam, signal }) => {
      const { from = "", to = "", environment, project, ...rest } = filter;
      const since = momentOf(from, false);
      const until = momentOf(to, true);
      const query = {
        limit: 50,
        ...rest,
        ...(project ? { project } : {}),
        // An environment is one of a project.
        ...(project && environment ? { environment } : {}),
        ...(since ? { from: since } : {}),
        ...(until ? { to: until } : {}),
        ...(pageParam === "" ? {} : { cursor: pageParam }),
      };
      return dataOf(await api(organization).GET("/api/v1/changes", { params: { query }, signal }));
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next ?? undefined,
    staleTime: Infinity,
  });

/** A year holds all of it: nothing is scheduled further ahead. */
export const scheduleQuery = (organization: string, from: string, to: string) =>
  queryOptions({
    queryKey: ["schedule", organization, from, to],
    queryFn: async ({ signal }) => {
      const items: Schemas["ScheduledView"][] = [];
      let cursor: string | undefined;
      do {
        const query = { limit: 500, from, to, ...(cursor ? { cursor } : {}) };
        // Each page says where the next one is.
        // oxlint-disable-next-line no-await-in-loop
        const page = dataOf(
          await api(organization).GET("/api/v1/schedule", { params: { query }, signal }),
        );
        items.push(...page.items);
        cursor = page.next ?? undefined;
      } while (cursor !== undefined && items.length < 5_000);
      return items;
    },
    staleTime: Infinity,
  });

export const versionsQuery = (organization: string, project: string, environment: string) =>
  infiniteQueryOptions({
    queryKey: ["versions", organization, project, environment],
    queryFn: async ({ pageParam, signal }) => {
      const path = "/api/v1/projects/{project}/environments/{environment}/versions";
      const query = { limit: 50, ...(pageParam === "" ? {} : { cursor: pageParam }) };
      const params = { path: { project, environment }, query };
      return dataOf(await api(organization).GET(path, { params, signal }));
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next ?? undefined,
    staleTime: Infinity,
  });

/** Whom the changes from one version to a later one moved, of the users that are known today. */
export const effectsQuery = (
  organization: string,
  project: string,
  environment: string,
  versions: { from: number; to: number },
) =>
  queryOptions({
    queryKey: ["moved", organization, project, environment, versions],
    queryFn: async ({ signal }) => {
      const path = "/api/v1/projects/{project}/environments/{environment}/effects";
      const params = { path: { project, environment }, query: versions };
      return dataOf(await api(organization).GET(path, { params, signal }));
    },
    // Users come and go.
    staleTime: 60_000,
    retry: false,
  });

export const pastStateQuery = (
  organization: string,
  project: string,
  environment: string,
  version: number,
) =>
  infiniteQueryOptions({
    // What was does not change.
    queryKey: ["past", organization, project, environment, version],
    queryFn: async ({ pageParam, signal }) => {
      const path = "/api/v1/projects/{project}/environments/{environment}/state";
      const query = { version, limit: 100, ...(pageParam === "" ? {} : { cursor: pageParam }) };
      const params = { path: { project, environment }, query };
      return dataOf(await api(organization).GET(path, { params, signal }));
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next ?? undefined,
    staleTime: Infinity,
  });
