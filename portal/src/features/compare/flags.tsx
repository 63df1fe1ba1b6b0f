import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useDeferredValue, useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Empty, Failure, Waiting } from "@/components/states";
import { VirtualList } from "@/components/virtual-list";
import type { Schemas } from "@/lib/api/client";
import { comparisonQuery } from "@/lib/api/compare";
import { useFormat } from "@/lib/format";
import { type Pair, writtenPair } from "@/lib/pairs";
import { FACETS, differences } from "@/lib/sides";
import classes from "./compare.module.css";
import { FacetRows } from "./facet-rows";
import { Outcome } from "./outcome";
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
          <Compared
            organization={organization}
            project={project}
            pair={pair}
            item={item}
            taken={(facet) => taken(item.flag, facet)}
            take={(which) => take([item.flag], which)}
          />
        )}
      </VirtualList>
    </>
  );
}

interface OneProps extends Props {
  item: Schemas["ComparedFlag"];
  taken: (facet: Schemas["TargetingFacet"]) => boolean;
  take: (facets?: Schemas["TargetingFacet"][]) => void;
}

function Compared({ organization, project, pair, item, taken, take }: OneProps) {
  const { t } = useTranslation();
  const rows = differences(item);
  const done = rows.every(({ facet }) => taken(facet));
  return (
    <li className={classes.flag}>
      <div className={classes.flagHead}>
        <Link
          to="/$organization/$project/flags/$flag/compare/$pair"
          params={{ organization, project, flag: item.flag, pair: writtenPair(pair) }}
        >
          {item.name}
        </Link>
        {item.name !== item.flag && <code className={classes.quiet}>{item.flag}</code>}
        {item.released[0] && rows.length > 1 && !done && (
          <Button
            small
            aria-label={t("compare.takeFlag", { flag: item.flag })}
            onClick={() => take()}
          >
            {t("compare.takeWhole")}
          </Button>
        )}
      </div>
      <FacetRows
        flag={item.flag}
        pair={pair}
        rows={rows}
        released={item.released[0] ?? false}
        taken={taken}
        take={(facet) => take([facet])}
      />
    </li>
  );
}
