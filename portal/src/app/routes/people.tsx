/** Who is in the organization, and what they may do. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { withWords } from "@/i18n";
import { queries } from "../queries";
import { asked, settings } from "./settings-frame";

const settingsMembers = createRoute({
  getParentRoute: () => settings,
  path: "members",
  validateSearch: (given: Record<string, unknown>): { q?: string; invite?: boolean } => ({
    ...(typeof given["q"] === "string" ? { q: given["q"] } : {}),
    ...(given["invite"] === true ? { invite: true } : {}),
  }),
  loader: ({ params: { organization } }) =>
    asked((it) => {
      void queries.prefetchInfiniteQuery(it.membersQuery(organization, ""));
      void queries.prefetchQuery(it.invitationsQuery(organization));
      void queries.prefetchQuery(it.groupsQuery(organization));
      void queries.prefetchQuery(it.policiesQuery(organization));
    }),
  component: lazyRouteComponent(
    () => withWords("people", import("@/features/members/page")),
    "MembersPage",
  ),
});

const settingsMember = createRoute({
  getParentRoute: () => settings,
  path: "members/$member",
  loader: ({ params: { organization, member } }) =>
    asked((it) => {
      void queries.prefetchQuery(it.memberQuery(organization, member));
      void queries.prefetchQuery(it.groupsQuery(organization));
      void queries.prefetchQuery(it.policiesQuery(organization));
    }),
  component: lazyRouteComponent(
    () => withWords("people", import("@/features/members/member")),
    "MemberPage",
  ),
});

const settingsGroups = createRoute({
  getParentRoute: () => settings,
  path: "groups",
  loader: ({ params: { organization } }) =>
    asked((it) => {
      void queries.prefetchQuery(it.groupsQuery(organization));
      void queries.prefetchQuery(it.policiesQuery(organization));
      void queries.prefetchQuery(it.fewMembersQuery(organization));
    }),
  component: lazyRouteComponent(
    () => withWords("people", import("@/features/groups/page")),
    "GroupsPage",
  ),
});

const settingsGroup = createRoute({
  getParentRoute: () => settings,
  path: "groups/$group",
  loader: ({ params: { organization, group } }) =>
    asked((it) => {
      void queries.prefetchQuery(it.groupQuery(organization, group));
      void queries.prefetchQuery(it.policiesQuery(organization));
      void queries.prefetchInfiniteQuery(it.membersQuery(organization, "", { group }));
    }),
  component: lazyRouteComponent(
    () => withWords("people", import("@/features/groups/group")),
    "GroupPage",
  ),
});

const settingsPolicies = createRoute({
  getParentRoute: () => settings,
  path: "policies",
  loader: ({ params: { organization } }) =>
    asked((it) => {
      void queries.prefetchQuery(it.groupsQuery(organization));
      void queries.prefetchQuery(it.policiesQuery(organization));
      void queries.prefetchQuery(it.fewMembersQuery(organization));
    }),
  component: lazyRouteComponent(
    () => withWords("people", import("@/features/policies/page")),
    "PoliciesPage",
  ),
});

const settingsPolicy = createRoute({
  getParentRoute: () => settings,
  path: "policies/$policy",
  loader: ({ params: { organization, policy } }) =>
    asked((it) => {
      void queries.prefetchQuery(it.policyQuery(organization, policy));
      void queries.prefetchQuery(it.groupsQuery(organization));
      void queries.prefetchInfiniteQuery(it.membersQuery(organization, "", { policy }));
    }),
  component: lazyRouteComponent(
    () => withWords("people", import("@/features/policies/policy")),
    "PolicyPage",
  ),
});

export const people = [
  settingsMembers,
  settingsMember,
  settingsGroups,
  settingsGroup,
  settingsPolicies,
  settingsPolicy,
] as const;
