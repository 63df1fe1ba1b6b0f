/** Users as files, and what takes them away. */
import { type Schemas, api, dataOf } from "./client";

const IN_ENVIRONMENT = "/api/v1/projects/{project}/environments/{environment}";

export type FileKind = "jsonLines" | "csv";

const KINDS = { jsonLines: "application/x-ndjson", csv: "text/csv" } as const;

interface Place {
  project: string;
  environment: string;
}

export async function uploadUsers(
  organization: string,
  path: Place,
  file: Blob,
  kind: FileKind,
): Promise<Schemas["Uploaded"]> {
  return dataOf(
    await api(organization).POST(`${IN_ENVIRONMENT}/users`, {
      params: { path },
      headers: { "content-type": KINDS[kind] },
      // A file is sent as it lies there; the description of the API calls it a text.
      body: file as unknown as string,
      bodySerializer: (it: unknown) => it as Blob,
    }),
  );
}

/** The file, for the browser to save: a link would not say which organization is meant. */
export async function downloadUsers(
  organization: string,
  path: Place,
  kind: FileKind,
): Promise<Blob> {
  const params = { path, query: { format: kind } };
  const { data } = await api(organization).GET(`${IN_ENVIRONMENT}/user-export`, {
    params,
    parseAs: "blob",
  });
  return dataOf({ data: data as Blob | undefined } as { data?: Blob });
}

/** Gives the browser a file to save. */
export function save(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // Not before the browser has begun to read it.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

export async function deleteUser(organization: string, path: Place, key: string): Promise<void> {
  const params = { path: { ...path, key } };
  await api(organization).DELETE(`${IN_ENVIRONMENT}/users/{key}`, { params });
}

export async function forgetUser(
  organization: string,
  body: Schemas["ForgetUser"],
): Promise<Schemas["Forgotten"]> {
  return dataOf(await api(organization).POST("/api/v1/users/forget", { body }));
}
