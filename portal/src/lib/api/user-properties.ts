/** What a project knows of its users' properties. */
import { queryOptions } from "@tanstack/react-query";
import { type Schemas, type Tagged, api, dataOf, ifMatch, taggedOf } from "./client";

const ALL = "/api/v1/projects/{project}/user-properties";
const ONE = "/api/v1/projects/{project}/user-properties/{name}";

export const knownPropertiesQuery = (organization: string, project: string) =>
  queryOptions({
    queryKey: ["userProperties", organization, project],
    queryFn: async ({ signal }) => {
      const params = { path: { project } };
      return dataOf(await api(organization).GET(ALL, { params, signal })).items;
    },
    staleTime: 30_000,
  });

export const knownPropertyQuery = (organization: string, project: string, name: string) =>
  queryOptions({
    queryKey: ["userProperties", organization, project, name],
    queryFn: async ({ signal }): Promise<Tagged<Schemas["UserPropertyView"]>> => {
      const params = { path: { project, name } };
      return taggedOf(await api(organization).GET(ONE, { params, signal }));
    },
    // As it is when the form is opened.
    staleTime: 0,
    retry: false,
  });

export async function setProperty(
  organization: string,
  path: { project: string; name: string },
  body: Schemas["UserProperty"],
  tag: string,
): Promise<void> {
  await api(organization).PUT(ONE, { params: { path }, body, headers: ifMatch(tag) });
}

export async function deleteProperty(
  organization: string,
  path: { project: string; name: string },
): Promise<void> {
  await api(organization).DELETE(ONE, { params: { path } });
}
