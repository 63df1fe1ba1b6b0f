import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Empty, Failure, Waiting } from "@/components/states";
import { VirtualList } from "@/components/virtual-list";
import { stateSegmentsQuery } from "@/lib/api/compare";
import { withCommands } from "@/lib/draft/draft";
import { type SegmentEdit, environmentOf, isSegmentEdit } from "@/lib/draft/edit";
import { changeDraft, useDraft } from "@/lib/draft/store";
import type { Pair } from "@/lib/pairs";
import {
  type ComparedSegment,
  type Part,
  comparedSegments,
  takeSegment,
} from "@/lib/segment-compare";
import classes from "./compare.module.css";
import { SegmentParts } from "./segment-parts";

interface Props {
  organization: string;
  project: string;
  pair: Pair;
}

/** The environments' own segments that are not the same. */
export function ComparedSegments({ organization, project, pair }: Props) {
  const { t } = useTranslation();
  const from = useQuery(stateSegmentsQuery(organization, project, pair.from));
  const to = useQuery(stateSegmentsQuery(organization, project, pair.to));
  const draft = useDraft();
  const items = useMemo(
    () => (from.data && to.data ? comparedSegments(from.data.segments, to.data.segments) : []),
    [from.data, to.data],
  );
  const error = from.error ?? to.error;
  if (error) {
    const retry = () => {
      void from.refetch();
      void to.refetch();
    };
    return <Failure error={error} retry={retry} />;
  }
  if (!from.data || !to.data) return <Waiting rows={6} />;
  if (items.length === 0) return <Empty title={t("compare.sameSegments", { ...pair })} />;
  const base = { [`${project}/${pair.to}`]: to.data.version };
  const put = (commands: SegmentEdit[]) =>
    changeDraft((now) => withCommands(now, { base, commands }));
  const place = { project, environment: pair.to };
  const take = (item: ComparedSegment, parts?: Part[]) => put(takeSegment(place, item, parts));
  const edited = new Set(
    draft.commands
      .filter(isSegmentEdit)
      .filter((it) => it.project === project && environmentOf(it) === pair.to)
      .map((it) => it.segment),
  );
  const takeable = items.filter((it) => it.from);
  return (
    <>
      <div className={classes.tools}>
        <span className={classes.quiet}>
          {t("compare.differSegments", { count: items.length })}
        </span>
        <Button
          look="primary"
          lacking={
            takeable.length === 0
              ? t("compare.nothingToTake", { environment: pair.from })
              : undefined
          }
          onClick={() => put(takeable.flatMap((it) => takeSegment(place, it)))}
        >
          {t("compare.takeAll", { ...pair })}
        </Button>
      </div>
      <VirtualList
        label={t("compare.segments")}
        items={items}
        keyOf={(it) => it.key}
        estimate={110}
      >
        {(item) => (
          <li className={classes.flag}>
            <div className={classes.flagHead}>
              <Link
                to="/$organization/$project/segments/$place/$segment"
                params={{
                  organization,
                  project,
                  place: item.from ? pair.from : pair.to,
                  segment: item.key,
                }}
              >
                {(item.from ?? item.to)?.name}
              </Link>
              <code className={classes.quiet}>{item.key}</code>
              {edited.has(item.key) ? (
                <span className={classes.taken}>{t("compare.inReview")}</span>
              ) : (
                item.from && (
                  <Button
                    small
                    aria-label={t("compare.takeSegment", { segment: item.key })}
                    onClick={() => take(item)}
                  >
                    {t("compare.takeOneSegment")}
                  </Button>
                )
              )}
            </div>
            <SegmentParts
              item={item}
              pair={pair}
              take={item.from && item.to ? (part) => take(item, [part]) : undefined}
            />
          </li>
        )}
      </VirtualList>
    </>
  );
}
