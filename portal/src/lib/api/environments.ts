/** Environments of a project as they are edited, and their SDK keys. */
import { queryOptions } from "@tanstack/react-query";
import { type Schemas, api, dataOf, ifMatch, taggedOf } from "./client";
import { keysQuery } from "./connect";

/** Where something is. */
export interface Place {
  organization: string;
  project: string;
  environment: string;
}

const pathOf = ({ project, environment }: Place) => ({ path: { project, environment } });

export const environmentQuery = (place: Place) =>
  queryOptions({
    queryKey: ["environment", place.organization, place.project, place.environment],
    queryFn: async ({ signal }) => {
      const path = "/api/v1/projects/{project}/environments/{environment}";
      return taggedOf(await api(place.organization).GET(path, { params: pathOf(place), signal }));
    },
    staleTime: Infinity,
  });

export async function saveEnvironment(place: Place, body: Schemas["EnvironmentEdit"], tag = "") {
  const path = "/api/v1/projects/{project}/environments/{environment}";
  const options = { params: pathOf(place), body, headers: ifMatch(tag) };
  return taggedOf(await api(place.organization).PATCH(path, options));
}

/** Makes an environment, with its colour and its mark: the API takes those afterwards. */
export async function createEnvironment(
  { organization, project, environment }: Place,
  { name, description, protected: mark }: { name: string; description: string; protected: boolean },
) {
  const path = "/api/v1/projects/{project}/environments";
  const body = { key: environment, description, ...(name === "" ? {} : { name }) };
  await api(organization).POST(path, { params: { path: { project } }, body });
  if (mark) await saveEnvironment({ organization, project, environment }, { protected: true });
}

export async function deleteEnvironment(place: Place) {
  const path = "/api/v1/projects/{project}/environments/{environment}";
  await api(place.organization).DELETE(path, { params: pathOf(place) });
}

/** Puts an environment in front of another one; to the end where none is named. */
export async function moveEnvironment(place: Place, before: string | undefined) {
  const path = "/api/v1/projects/{project}/environments/{environment}/move";
  const body = before === undefined ? {} : { before };
  await api(place.organization).POST(path, { params: pathOf(place), body });
}

export const rulesQuery = (place: Place) =>
  queryOptions({
    queryKey: ["rules", place.organization, place.project, place.environment],
    queryFn: async ({ signal }) => {
      const path = "/api/v1/projects/{project}/environments/{environment}/rules";
      return taggedOf(await api(place.organization).GET(path, { params: pathOf(place), signal }));
    },
    staleTime: Infinity,
  });

export async function saveRules(place: Place, body: Schemas["EnvironmentRules"], tag: string) {
  const path = "/api/v1/projects/{project}/environments/{environment}/rules";
  const options = { params: pathOf(place), body, headers: ifMatch(tag) };
  return taggedOf(await api(place.organization).PUT(path, options));
}

/** When a key was last used is known to about a minute. */
const USED_MS = 60_000;

export const sdkKeysQuery = (place: Place) =>
  queryOptions({
    ...keysQuery(place.organization, place.project, place.environment),
    refetchInterval: USED_MS,
  });

export async function createSdkKey(place: Place, body: Schemas["NewSdkKey"]) {
  const path = "/api/v1/projects/{project}/environments/{environment}/sdk-keys";
  return dataOf(await api(place.organization).POST(path, { params: pathOf(place), body }));
}

const keyPath = "/api/v1/projects/{project}/environments/{environment}/sdk-keys/{id}";
const ofKey = ({ project, environment }: Place, id: string) => ({
  path: { project, environment, id },
});

export async function rotateSdkKey(place: Place, id: string, graceSeconds: number) {
  const options = { params: ofKey(place, id), body: { graceSeconds } };
  return dataOf(await api(place.organization).POST(`${keyPath}/rotate`, options));
}

export async function renameSdkKey(place: Place, id: string, name: string) {
  await api(place.organization).PATCH(keyPath, { params: ofKey(place, id), body: { name } });
}

export async function revokeSdkKey(place: Place, id: string) {
  await api(place.organization).DELETE(keyPath, { params: ofKey(place, id) });
}
