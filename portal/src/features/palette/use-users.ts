import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { permissionsQuery } from "@/lib/api/permissions";
import { someUsersQuery } from "@/lib/api/why";
import type { KnownUsers } from "./entries";

/** One letter is the beginning of far too many. */
const SHORTEST = 2;

interface Asked {
  organization: string;
  project: string;
  environment: string;
  /** What is looked for, once one stopped typing; nothing where users are not meant. */
  text: string;
}

/** Known users of an environment whose key or name begins as typed, for who may see them. */
export function useUsers({ organization, project, environment, text }: Asked) {
  const asks = text.length >= SHORTEST && project !== "" && environment !== "";
  const resource = `project/${project}:env/${environment}`;
  const may = useQuery({
    ...permissionsQuery(organization, [{ action: "user.read", resource }]),
    enabled: asks,
  });
  const allowed = asks && may.data?.[0]?.allowed === true;
  const users = useQuery({
    ...someUsersQuery(organization, project, environment, text),
    enabled: allowed,
    placeholderData: keepPreviousData,
  });
  const known: KnownUsers = { environment, items: allowed ? (users.data ?? []) : [] };
  return { known, waiting: (asks && may.isFetching) || users.isFetching };
}
