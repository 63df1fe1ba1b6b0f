import { Navigate, useParams } from "@tanstack/react-router";

/** The first page of the settings. */
export function SettingsStart() {
  const { organization } = useParams({ from: "/$organization/settings/" });
  return <Navigate to="/$organization/settings/general" params={{ organization }} replace />;
}
