import type { QueryClient } from "@tanstack/react-query";
import { type Schemas, api } from "./api/client";
import { settingsQuery } from "./api/queries";

/** Keeps what a member chose for themselves; all of it is sent, so what is there is read first. */
export async function keepSettings(
  queries: QueryClient,
  organization: string,
  change: (settings: Schemas["MemberSettings"]) => Schemas["MemberSettings"],
): Promise<void> {
  const settings = await queries.ensureQueryData(settingsQuery(organization));
  const body = change(settings);
  const { data } = await api(organization).PUT("/api/v1/me/settings", { body });
  queries.setQueryData(settingsQuery(organization).queryKey, data);
}
