/** Who is in the organization, and what they may do. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { withWords } from "@/i18n";
import {
  everybodyQuery,
  groupQuery,
  groupsQuery,
  invitationsQuery,
  memberQuery,
  membersQuery,
  policiesQuery,
  policyQuery,
} from "@/lib/api/people";
import { queries } from "../queries";
import { settings } from "./settings-frame";

const settingsMembers = createRoute({
  getParentRoute: () => settings,
  path: "members",
  validateSearch: (given: Record<string, unknown>): { q?: string; invite?: boolean } => ({
    ...(typeof given["q"] === "string" ? { q: given["q"] } : {}),
    ...(given["invite"] === true ? { invite: true } : {}),
  }),
  loader: ({ params: { organization } }) => {
    void queries.prefetchInfiniteQuery(membersQuery(organization, ""));
    void queries.prefetchQuery(invitationsQuery(organization));
    void queries.prefetchQuery(groupsQuery(organization));
    void queries.prefetchQuery(policiesQuery(organization));
  },
  component: lazyRouteComponent(
    () => withWords("people", import("@/features/members/page")),
    "MembersPage",
  ),
});

const settingsMember = createRoute({
  getParentRoute: () => settings,
  path: "members/$member",
  loader: ({ params: { organization, member } }) => {
    void queries.prefetchQuery(memberQuery(organization, member));
    void queries.prefetchQuery(groupsQuery(organization));
    void queries.prefetchQuery(policiesQuery(organization));
  },
  component: lazyRouteComponent(
    () => withWords("people", import("@/features/members/member")),
    "MemberPage",
  ),
});

const settingsGroups = createRoute({
  getParentRoute: () => settings,
  path: "groups",
  loader: ({ params: { organization } }) => {
    void queries.prefetchQuery(groupsQuery(organization));
    void queries.prefetchQuery(policiesQuery(organization));
    void queries.prefetchQuery(everybodyQuery(organization));
  },
  component: lazyRouteComponent(
    () => withWords("people", import("@/features/groups/page")),
    "GroupsPage",
  ),
});

const settingsGroup = createRoute({
  getParentRoute: () => settings,
  path: "groups/$group",
  loader: ({ params: { organization, group } }) => {
    void queries.prefetchQuery(groupQuery(organization, group));
    void queries.prefetchQuery(policiesQuery(organization));
    void queries.prefetchQuery(everybodyQuery(organization));
  },
  component: lazyRouteComponent(
    () => withWords("people", import("@/features/groups/group")),
    "GroupPage",
  ),
});

const settingsPolicies = createRoute({
  getParentRoute: () => settings,
  path: "policies",
  loader: ({ params: { organization } }) => {
    void queries.prefetchQuery(groupsQuery(organization));
    void queries.prefetchQuery(policiesQuery(organization));
    void queries.prefetchQuery(everybodyQuery(organization));
  },
  component: lazyRouteComponent(
    () => withWords("people", import("@/features/policies/page")),
    "PoliciesPage",
  ),
});

const settingsPolicy = createRoute({
  getParentRoute: () => settings,
  path: "policies/$policy",
  loader: ({ params: { organization, policy } }) => {
    void queries.prefetchQuery(policyQuery(organization, policy));
    void queries.prefetchQuery(groupsQuery(organization));
    void queries.prefetchQuery(everybodyQuery(organization));
  },
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
