/** What somebody may do, asked before it is tried: a control says what it lacks. */
import { queryOptions } from "@tanstack/react-query";
import { type Schemas, api, dataOf } from "./client";

export type Asked = Schemas["PermissionQuestion"];

/**
 * The answers, in the order of the questions; of whoever asks where no member is named, and as if a
 * policy were as it is being edited.
 */
export const permissionsQuery = (
  organization: string,
  questions: Asked[],
  member?: string,
  policy?: Schemas["PolicyDraft"],
) =>
  queryOptions({
    queryKey: ["permissions", organization, member ?? "", questions, policy],
    queryFn: async ({ signal }) => {
      const body = {
        questions,
        ...(member === undefined ? {} : { member }),
        ...(policy === undefined ? {} : { policy }),
      };
      const answer = await api(organization).POST("/api/v1/permissions", { body, signal });
      return dataOf(answer).answers;
    },
    enabled: questions.length > 0,
    // The stream says when it is other.
    staleTime: Infinity,
  });

/** Whom to ask for a permission that is missing. */
export const holdersQuery = (organization: string, { action, resource }: Asked) =>
  queryOptions({
    queryKey: ["holders", organization, action, resource],
    queryFn: async ({ signal }) => {
      const params = { query: { action, resource } };
      const path = "/api/v1/permissions/holders";
      return dataOf(await api(organization).GET(path, { params, signal }));
    },
    staleTime: 300_000,
    retry: false,
  });
