/** The organization, and who is in it: what is asked for, and under which keys. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { type Schemas, api, dataOf, taggedOf } from "./client";

const LONGEST_PAGE = 500;
/** So many are offered while somebody types. */
const OFFERED = 20;

/** Those of a group, or those who were given a policy directly. */
export interface Of {
  group?: string;
  policy?: string;
}

export const organizationQuery = (organization: string) =>
  queryOptions({
    queryKey: ["organization", organization],
    queryFn: async ({ signal }) =>
      taggedOf(await api(organization).GET("/api/v1/organization", { signal })),
    staleTime: Infinity,
  });

export const membersQuery = (organization: string, search: string, of: Of = {}) =>
  infiniteQueryOptions({
    queryKey: ["members", organization, search, of],
    queryFn: async ({ pageParam, signal }) => {
      const query = {
        limit: 100,
        ...of,
        ...(search === "" ? {} : { search }),
        ...(pageParam === "" ? {} : { cursor: pageParam }),
      };
      return dataOf(await api(organization).GET("/api/v1/members", { params: { query }, signal }));
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next ?? undefined,
    staleTime: Infinity,
  });

/** The first who fit what is typed: to be offered. */
export const someMembersQuery = (organization: string, search: string) =>
  queryOptions({
    queryKey: ["members", organization, "some", search],
    queryFn: async ({ signal }) => {
      const query = { limit: OFFERED, ...(search === "" ? {} : { search }) };
      const params = { query };
      return dataOf(await api(organization).GET("/api/v1/members", { params, signal })).items;
    },
    staleTime: Infinity,
  });

/** Everybody, where that is one page; `undefined` among more: then nobody counts by hand. */
export const fewMembersQuery = (organization: string) =>
  queryOptions({
    queryKey: ["members", organization, "few"],
    queryFn: async ({ signal }) => {
      const params = { query: { limit: LONGEST_PAGE } };
      const page = dataOf(await api(organization).GET("/api/v1/members", { params, signal }));
      return { all: page.next == null ? page.items : undefined };
    },
    staleTime: Infinity,
  });

/** All of them: reviewers are chosen among them by name. */
export const everybodyQuery = (organization: string) =>
  queryOptions({
    queryKey: ["members", organization, "everybody"],
    queryFn: async ({ signal }) => {
      const all: Schemas["MemberView"][] = [];
      let query: { limit: number; cursor?: string } | undefined = { limit: LONGEST_PAGE };
      while (query) {
        const page: Schemas["Page_MemberView"] = dataOf(
          await api(organization).GET("/api/v1/members", { params: { query }, signal }),
        );
        all.push(...page.items);
        query = page.next == null ? undefined : { limit: LONGEST_PAGE, cursor: page.next };
      }
      return all;
    },
    staleTime: Infinity,
  });

export const memberQuery = (organization: string, id: string) =>
  queryOptions({
    queryKey: ["members", organization, "one", id],
    queryFn: async ({ signal }) => {
      const params = { path: { id } };
      return taggedOf(await api(organization).GET("/api/v1/members/{id}", { params, signal }));
    },
    staleTime: Infinity,
  });

export const invitationsQuery = (organization: string) =>
  queryOptions({
    queryKey: ["invitations", organization],
    queryFn: async ({ signal }) =>
      dataOf(await api(organization).GET("/api/v1/invitations", { signal })).items,
    staleTime: Infinity,
  });

export const groupsQuery = (organization: string) =>
  queryOptions({
    queryKey: ["groups", organization],
    queryFn: async ({ signal }) => {
      return dataOf(await api(organization).GET("/api/v1/groups", { signal })).items;
    },
    staleTime: Infinity,
  });

export const groupQuery = (organization: string, group: string) =>
  queryOptions({
    queryKey: ["groups", organization, group],
    queryFn: async ({ signal }) => {
      const params = { path: { group } };
      return taggedOf(await api(organization).GET("/api/v1/groups/{group}", { params, signal }));
    },
    staleTime: Infinity,
  });

export const policiesQuery = (organization: string) =>
  queryOptions({
    queryKey: ["policies", organization],
    queryFn: async ({ signal }) => {
      return dataOf(await api(organization).GET("/api/v1/policies", { signal })).items;
    },
    staleTime: Infinity,
  });

export const policyQuery = (organization: string, policy: string) =>
  queryOptions({
    queryKey: ["policies", organization, policy],
    queryFn: async ({ signal }) => {
      const params = { path: { policy } };
      return taggedOf(await api(organization).GET("/api/v1/policies/{policy}", { params, signal }));
    },
    staleTime: Infinity,
  });

/** All that can be allowed, in the order in which an editor lists it. */
export const actionsQuery = queryOptions({
  queryKey: ["actions"],
  queryFn: async ({ signal }) =>
    dataOf(await api("").GET("/api/v1/actions", { signal })).items.map((it) => it.name),
  staleTime: Infinity,
});

export const tokensQuery = (organization: string) =>
  queryOptions({
    queryKey: ["tokens", organization],
    queryFn: async ({ signal }) => {
      return dataOf(await api(organization).GET("/api/v1/tokens", { signal })).items;
    },
    staleTime: 30_000,
  });

/** How members sign in by a provider; null where they do not. */
export const singleSignOnQuery = (organization: string) =>
  queryOptions({
    queryKey: ["signIn", organization],
    queryFn: async ({ signal }) =>
      taggedOf(await api(organization).GET("/api/v1/organization/sign-in", { signal })),
    staleTime: Infinity,
  });

export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: async ({ signal }) => dataOf(await api("").GET("/api/v1/me/sessions", { signal })).items,
  staleTime: 30_000,
});
