import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useDeferredValue, useMemo } from "react";
import { environmentsQuery, flagIndexQuery, meQuery, settingsQuery } from "@/lib/api/queries";
import { type Filter, type Panels, chosen, readFilter, sorted } from "@/lib/filter";
import { useFormat } from "@/lib/format";
import { asked, environmentsToShow } from "@/lib/pinned";
import { useTyped } from "./use-typed";

/** The project's flags, those that the filter lets through, and what changes the filter. */
export function useList(organization: string, project: string, search: Filter & Panels) {
  const navigate = useNavigate({ from: "/$organization/$project/flags" });
  const { compare } = useFormat();
  const environments = useQuery(environmentsQuery(organization, project));
  const settings = useQuery(settingsQuery(organization));
  const me = useQuery(meQuery).data;
  const shown =
    environments.data && !settings.isPending
      ? environmentsToShow(organization, project, environments.data, settings.data)
      : undefined;
  const index = useQuery({
    ...flagIndexQuery(organization, project, asked(shown ?? [], search)),
    enabled: shown !== undefined,
  });
  const change = (next: Filter) => void navigate({ search: next, replace: true });
  const [text, setText] = useTyped(search.q ?? "", (q) =>
    change({ ...readFilter({ ...search, q }) }),
  );
  const deferred = useDeferredValue(text);
  const order = search.sort;
  const all = useMemo(
    () => (index.data ? sorted(index.data.items, order, compare) : []),
    [index.data, order, compare],
  );
  const { tag, type, on, off, archived, stale, mine } = search;
  const items = useMemo(() => {
    if (!index.data) return [];
    const names = me ? [me.email, me.name] : [];
    const filter = readFilter({ q: deferred, tag, type, on, off, archived, stale, mine });
    return chosen({ ...index.data, items: all }, filter, names);
  }, [index.data, all, me, deferred, tag, type, on, off, archived, stale, mine]);
  const filter = useMemo(() => readFilter({ ...search }), [search]);
  // Those that the answer is about: another choice of columns is shown when it is there.
  const columns = useMemo(() => {
    const here = shown?.filter((key) => index.data?.environments.includes(key)) ?? [];
    return here.flatMap((key) => environments.data?.find((it) => it.key === key) ?? []);
    // oxlint-disable-next-line react/exhaustive-deps -- the list of keys is new each time
  }, [shown?.join(","), index.data?.environments, environments.data]);
  return {
    index: index.data,
    columns,
    items,
    environments: environments.data ?? [],
    shown: shown ?? [],
    filter,
    change,
    text,
    setText,
    error: environments.error ?? index.error,
    retry() {
      void environments.refetch();
      void index.refetch();
    },
  };
}

export type List = ReturnType<typeof useList>;
