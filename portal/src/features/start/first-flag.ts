import type { QueryClient } from "@tanstack/react-query";
import { Refused, type Schemas, api, dataOf } from "@/lib/api/client";
import { keysQuery } from "@/lib/api/connect";
import { environmentsQuery, flagQuery } from "@/lib/api/queries";
import { apply } from "@/lib/changes";
import type { Edit } from "@/lib/draft/edit";
import type { Program } from "./program";

export const FIRST_FLAG = "first-flag";

export interface Where {
  organization: string;
  project: string;
}

/** Where a first program hurts nobody: `dev`, else the first that is not protected. */
export function firstEnvironment(
  environments: Schemas["EnvironmentView"][],
): Schemas["EnvironmentView"] | undefined {
  const open = environments.filter((it) => !it.protected);
  const harmless = open.find((it) => it.key === "dev") ?? open.find((it) => it.key !== "prod");
  return harmless ?? open[0] ?? environments[0];
}

/**
 * Makes what a first program needs and is not there: an environment, the flag, off in it, and a key
 * of the program's kind.
 */
export async function prepare(
  queries: QueryClient,
  { organization, project }: Where,
  chosen: string | undefined,
  { kind }: Program,
): Promise<string> {
  const client = api(organization);
  let environment = chosen;
  if (environment === undefined) {
    environment = "dev";
    const body = { key: environment, name: "Development" };
    const params = { path: { project } };
    await client.POST("/api/v1/projects/{project}/environments", { params, body });
    await queries.invalidateQueries(environmentsQuery(organization, project));
  }
  const commands = missing(project, environment, await flagIn(organization, project));
  if (commands.length > 0) await apply(organization, { base: {}, commands });
  const keys = await queries.fetchQuery(keysQuery(organization, project, environment));
  if (!usable(keys, kind)) {
    const params = { path: { project, environment } };
    const path = "/api/v1/projects/{project}/environments/{environment}/sdk-keys";
    await client.POST(path, { params, body: { kind, name: kind } });
    await queries.invalidateQueries(keysQuery(organization, project, environment));
  }
  await queries.invalidateQueries(flagQuery(organization, project, FIRST_FLAG));
  return environment;
}

/** A key of a kind that works, and goes on working. */
export function usable(
  keys: Schemas["SdkKeyView"][],
  kind: Program["kind"],
): Schemas["SdkKeyView"] | undefined {
  return keys.find((it) => it.kind === kind && it.revokedAt == null && it.endsAt == null);
}

async function flagIn(
  organization: string,
  project: string,
): Promise<Schemas["FlagDetail"] | undefined> {
  try {
    const params = { path: { project, flag: FIRST_FLAG } };
    const path = "/api/v1/projects/{project}/flags/{flag}";
    return dataOf(await api(organization).GET(path, { params }));
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return undefined;
    throw error;
  }
}

/** The commands after which the flag is there, and served in the environment. */
export function missing(
  project: string,
  environment: string,
  flag: Pick<Schemas["FlagDetail"], "state" | "environments"> | undefined,
): Edit[] {
  const place = { project, flag: FIRST_FLAG };
  const made: Edit = { kind: "createFlag", ...place, type: "boolean" };
  const released: Edit = { kind: "turnOff", ...place, environment };
  if (!flag) return [made, released];
  const restored: Edit[] = flag.state === "archived" ? [{ kind: "restoreFlag", ...place }] : [];
  return flag.environments[environment] ? restored : [...restored, released];
}
