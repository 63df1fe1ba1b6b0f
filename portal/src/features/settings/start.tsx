import { useQuery } from "@tanstack/react-query";
import { Navigate, useParams } from "@tanstack/react-router";
import { Waiting } from "@/components/states";
import { useHere } from "@/components/use-here";
import { permissionsQuery } from "@/lib/api/permissions";

/** What one needs for a page of the settings, in the order of the menu. */
const PAGES = [
  ["general", { action: "organization.read", resource: "organization" }],
  ["members", { action: "member.read", resource: "member/*" }],
  ["groups", { action: "group.read", resource: "group/*" }],
  ["policies", { action: "policy.read", resource: "policy/*" }],
] as const;

const ASKED = PAGES.map(([, asked]) => asked);

/** The first page of the settings that one may see. */
export function SettingsStart() {
  const { organization } = useParams({ from: "/$organization/settings/" });
  const answers = useQuery(permissionsQuery(organization, ASKED));
  // The menu is there before the answer.
  const here = useHere();
  if (answers.isPending || !here) return <Waiting />;
  const [page] = PAGES.find((_, index) => answers.data?.[index]?.allowed) ?? ["profile" as const];
  return <Navigate to={`/$organization/settings/${page}`} params={{ organization }} replace />;
}
