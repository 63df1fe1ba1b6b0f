import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { segmentsQuery } from "@/lib/api/queries";

/** Names of the segments that can be used in an environment, by their ids. */
export function useSegmentName(
  project: string | undefined,
  environment: string | undefined,
  needed = true,
): (id: string) => string | undefined {
  const { organization = "" } = useParams({ strict: false });
  const { data } = useQuery({
    ...segmentsQuery(organization, project ?? "", environment ?? ""),
    enabled: needed && project !== undefined && environment !== undefined,
    retry: false,
  });
  return useMemo(() => {
    const names = new Map((data ?? []).map((it) => [it.id, it.name] as const));
    return (id) => names.get(id);
  }, [data]);
}
