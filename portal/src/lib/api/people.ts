/** The organization, and who is in it: what is asked for, and under which keys. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { type Schemas, api, dataOf, taggedOf } from "./client";

const LONGEST_PAGE = 500;

export const organizationQuery = (organization: string) =>
  queryOptions({
    queryKey: ["organization", organization],
    queryFn: async ({ signal }) =>
      taggedOf(await api(organization).GET("/api/v1/organization", { signal })),
    staleTime: Infinity,
  });

export const membersQuery = (organization: string, search: string) =>
  infiniteQueryOptions({
    queryKey: ["members", organization, search],
    queryFn: async ({ pageParam, signal }) => {
      const query = {
        limit: 100,
        ...(search === "" ? {} : { search }),
        ...(pageParam === "" ? {} : { cursor: pageParam }),
      };
      return dataOf(await api(organization).GET("/api/v1/members", { params: { query }, signal }));
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next ?? undefined,
    staleTime: Infinity,
  });

/** All of them: who is in a group, and who has a policy, is asked of nobody else. */
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
