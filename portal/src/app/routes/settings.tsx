/** Settings of the organization, of a project, and of oneself: one frame around all of them. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { withWords } from "@/i18n";
import {
  everybodyQuery,
  groupQuery,
  groupsQuery,
  invitationsQuery,
  memberQuery,
  membersQuery,
  organizationQuery,
  policiesQuery,
  policyQuery,
} from "@/lib/api/people";
import { queries } from "../queries";
import { organization, project } from "./base";

const frame = lazyRouteComponent(
  () => withWords("settings", import("@/components/settings-frame")),
  "SettingsFrame",
);

/** `/acme/settings/…` */
const settings = createRoute({
  getParentRoute: () => organization,
  path: "settings",
  component: frame,
});

/** `/acme/web/settings/…` */
export const projectSettings = createRoute({
  getParentRoute: () => project,
  path: "settings",
  component: frame,
});

const settingsStart = createRoute({
  getParentRoute: () => settings,
  path: "/",
  component: lazyRouteComponent(() => import("@/features/settings/start"), "SettingsStart"),
});

const settingsGeneral = createRoute({
  getParentRoute: () => settings,
  path: "general",
  loader: ({ params }) => void queries.prefetchQuery(organizationQuery(params.organization)),
  component: lazyRouteComponent(
    () => withWords("settings", import("@/features/settings/general")),
    "GeneralPage",
  ),
});

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

export const settingsPages = settings.addChildren([
  settingsStart,
  settingsGeneral,
  settingsMembers,
  settingsMember,
  settingsGroups,
  settingsGroup,
  settingsPolicies,
  settingsPolicy,
]);
