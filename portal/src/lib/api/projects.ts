/** Projects as they are made and edited, and as files. */
import { queryOptions } from "@tanstack/react-query";
import { type Schemas, api, dataOf, ifMatch, taggedOf } from "./client";

export const projectQuery = (organization: string, project: string) =>
  queryOptions({
    queryKey: ["project", organization, project],
    queryFn: async ({ signal }) => {
      const params = { path: { project } };
      return taggedOf(
        await api(organization).GET("/api/v1/projects/{project}", { params, signal }),
      );
    },
    staleTime: Infinity,
  });

/** Makes a project, with environments of these keys, in their order. */
export async function createProject(
  organization: string,
  body: Schemas["NewProject"],
  environments: Schemas["NewEnvironment"][],
) {
  const { data } = await api(organization).POST("/api/v1/projects", { body });
  const params = { path: { project: body.key } };
  for (const environment of environments) {
    const path = "/api/v1/projects/{project}/environments";
    await api(organization).POST(path, { params, body: environment });
  }
  return data;
}

export async function saveProject(
  organization: string,
  project: string,
  body: Schemas["ProjectEdit"],
  tag: string,
) {
  const options = { params: { path: { project } }, body, headers: ifMatch(tag) };
  return taggedOf(await api(organization).PATCH("/api/v1/projects/{project}", options));
}

export async function deleteProject(organization: string, project: string) {
  await api(organization).DELETE("/api/v1/projects/{project}", { params: { path: { project } } });
}

export type Format = "yaml" | "json";

/** A project as one file. */
export async function exportProject(organization: string, project: string, format: Format) {
  const params = { path: { project }, query: { format } };
  const path = "/api/v1/projects/{project}/export";
  const answer = await api(organization).GET(path, { params, parseAs: "text" });
  return String(dataOf(answer));
}

export interface NewFile {
  file: string;
  prune: boolean;
  comment: string;
}

/** Makes a project as a file says, or tells what that would do. */
export async function importProject(
  organization: string,
  project: string,
  { file, prune, comment }: NewFile,
  dryRun: boolean,
) {
  const body = { file, prune, comment, dryRun } as unknown as Schemas["NewFile"];
  const params = { path: { project } };
  const path = "/api/v1/projects/{project}/import";
  return dataOf(await api(organization).POST(path, { params, body }));
}

/** Imports what FeatBit serves to its server SDKs, or tells what that would do. */
export async function importFeatbit(
  organization: string,
  { project, environment }: { project: string; environment: string },
  body: Schemas["FeatbitFiles"],
) {
  const params = { path: { project, environment } };
  const path = "/api/v1/projects/{project}/environments/{environment}/import/featbit";
  return dataOf(await api(organization).POST(path, { params, body }));
}
