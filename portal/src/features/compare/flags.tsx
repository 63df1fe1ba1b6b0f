import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useDeferredValue, useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Empty, Failure, Waiting } from "@/components/states";
import { VirtualList } from "@/components/virtual-list";
import type { Schemas } from "@/lib/api/client";
import { comparisonQuery, variationsQuery } from "@/lib/api/compare";
import { useFormat } from "@/lib/format";
import type { Pair } from "@/lib/pairs";
import { FACETS } from "@/lib/sides";
import classes from "./compare.module.css";
import { ComparedFlag } from "./compared-flag";
import { Outcome } from "./outcome";
import { usePairSegments } from "./use-pair-segments";
import { useTaken, useTaking } from "./use-taking";

interface Props {
  organization: string;
  project: string;
  pair: Pair;
}

/** The flags that do something else, each part that differs. */
export function ComparedFlags({ organization, project, pair }: Props) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const compared = useInfiniteQuery(comparisonQuery(organization, project, pair));
  const variations = useQuery({
    ...variationsQuery(organization, project),
    enabled: (compared.data?.pages[0]?.items.length ?? 0) > 0,
  });
  const segment = usePairSegments(project, pair);
  const taking = useTaking(organization, project);
  const taken = useTaken(project, pair.to);
  const [text, setText] = useState("");
  const [targets, setTargets] = useState(true);
  const wanted = useDeferredValue(text).toLowerCase();
  const { data, hasNextPage, isFetching, fetchNextPage } = compared;
  useEffect(() => {
    // What differs may be on any page.
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  const all = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data]);
  const items = useMemo(
    () => all.filter((it) => `${it.flag} ${it.name}`.toLowerCase().includes(wanted)),
    [all, wanted],
  );
  if (compared.isError) {
    return <Failure error={compared.error} retry={() => void compared.refetch()} />;
  }
  if (!data) return <Waiting rows={10} />;
  if (all.length === 0 && !hasNextPage) {
    return <Empty title={t("compare.same", { ...pair })} />;
  }
  const facets = targets ? FACETS : FACETS.filter((it) => it !== "targets");
  const takeable = items.filter((it) => it.released[0]).map((it) => it.flag);
  const take = (flags: string[], which = facets) =>
    taking.mutate({ pair, flags, facets: which, segments: "map" });

  return (
    <>
      <div className={classes.tools}>
        <input
          type="search"
          className={classes.search}
          aria-label={t("compare.search")}
          placeholder={t("compare.search")}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <span className={classes.quiet} role="status">
          {t(hasNextPage ? "compare.looking" : "compare.differ", {
            count: items.length,
            number: number(items.length),
          })}
        </span>
        <label className={classes.check}>
          <input
            type="checkbox"
            checked={targets}
            onChange={(event) => setTargets(event.target.checked)}
          />
          {t("compare.withTargets")}
        </label>
        <Button
          look="primary"
          busy={taking.isPending}
          lacking={
            hasNextPage
              ? t("compare.wait")
              : takeable.length === 0
                ? t("compare.nothingToTake", { environment: pair.from })
                : undefined
          }
          onClick={() => take(takeable)}
        >
          {t("compare.takeAll", { ...pair })}
        </Button>
      </div>
      <Outcome taking={taking} />
      <VirtualList label={t("compare.flags")} items={items} keyOf={(it) => it.flag} estimate={110}>
        {(item) => (
          <ComparedFlag
            organization={organization}
            project={project}
            pair={pair}
            item={item}
            variations={named(variations.data?.get(item.flag))}
            segment={segment}
            taken={(facet) => taken(item.flag, facet)}
            take={(which) => take([item.flag], which)}
          />
        )}
      </VirtualList>
    </>
  );
}

const named = (variations: Schemas["Variation"][] | undefined) =>
  variations?.map((it) => ({ ...it, name: it.name ?? null }));
