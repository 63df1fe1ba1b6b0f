import { useQueries, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { environmentsQuery, settingsQuery } from "@/lib/api/queries";
import { segmentListQuery } from "@/lib/api/segments";
import { type SegmentPlace, placeAt } from "@/lib/model/segment";
import { environmentsToShow } from "@/lib/pinned";
import type { Filter, Row } from "@/lib/segment-filter";

/** Lists of so many environments are asked for; of more, those that the member pinned. */
const ENVIRONMENTS = 8;

/** The segments of a project's places: what is shared, and what environments have of their own. */
export function useSegments(organization: string, project: string, filter: Filter) {
  const environments = useQuery(environmentsQuery(organization, project));
  const settings = useQuery(settingsQuery(organization));
  const all = environments.data;
  const places = useMemo((): SegmentPlace[] => {
    if (filter.in !== undefined) return [placeAt(project, filter.in)];
    if (!all || settings.isPending) return [{}, { project }];
    const keys =
      all.length <= ENVIRONMENTS
        ? all.map((it) => it.key)
        : environmentsToShow(organization, project, all, settings.data);
    return [{}, { project }, ...keys.map((environment) => ({ project, environment }))];
  }, [filter.in, all, settings.isPending, settings.data, organization, project]);
  const state = filter.archived ? "archived" : "live";
  const lists = useQueries({
    queries: places.map((place) => segmentListQuery(organization, place, state)),
    combine: (results) => ({
      pending: results.some((it) => it.isPending),
      error: results.find((it) => it.error)?.error ?? null,
      retry: () => results.forEach((it) => void it.refetch()),
      data: results.map((it) => it.data),
    }),
  });
  const rows = useMemo(
    () =>
      places
        .flatMap((place, at) => (lists.data[at] ?? []).map((item): Row => ({ place, item })))
        .toSorted((a, b) => a.item.name.localeCompare(b.item.name)),
    [places, lists.data],
  );
  return {
    rows,
    environments,
    pending: lists.pending || environments.isPending || settings.isPending,
    error: environments.error ?? lists.error,
    retry: () => {
      void environments.refetch();
      lists.retry();
    },
  };
}
