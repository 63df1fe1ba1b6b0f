import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Sentence } from "@/components/sentence";
import { segmentsQuery } from "@/lib/api/queries";
import type { Condition } from "@/lib/model/flag";
import { IN_SEGMENT, NOT_IN_SEGMENT, listOf } from "@/lib/model/operators";
import classes from "./flag.module.css";
import { useFlag } from "./use-flag";

interface Props {
  environment: string;
  condition: Condition;
  change: (condition: Condition) => void;
}

/** Whether a user is in one of some segments. */
export function SegmentPhrase({ environment, condition, change }: Props) {
  const { t } = useTranslation();
  const { organization, project } = useFlag();
  const segments = useQuery(segmentsQuery(organization, project, environment));
  const chosen = listOf(condition.value);
  const set = (ids: string[]) => change({ ...condition, value: JSON.stringify(ids) });
  const nameOf = (id: string) => segments.data?.find((it) => it.id === id)?.name ?? id;
  const left = segments.data?.filter((it) => !chosen.includes(it.id)) ?? [];
  const parts = {
    op: (
      <select
        className={classes.control}
        aria-label={t("flag.operator")}
        value={condition.property}
        onChange={(event) => change({ ...condition, property: event.target.value })}
      >
        <option value={IN_SEGMENT}>{t("flag.inSegment")}</option>
        <option value={NOT_IN_SEGMENT}>{t("flag.notInSegment")}</option>
      </select>
    ),
    value: (
      <span className={classes.chips}>
        {chosen.map((id) => (
          <span key={id} className={classes.chip}>
            {nameOf(id)}
            <button
              type="button"
              aria-label={t("action.remove", { value: nameOf(id) })}
              onClick={() => set(chosen.filter((it) => it !== id))}
            >
              ✕
            </button>
          </span>
        ))}
        {left.length > 0 && (
          <select
            className={classes.chipInput}
            aria-label={t("flag.chooseSegment")}
            value=""
            onChange={(event) => set([...chosen, event.target.value])}
          >
            <option value="">{t("flag.chooseSegment")}</option>
            {left.map((it) => (
              <option key={it.id} value={it.id}>
                {it.name}
              </option>
            ))}
          </select>
        )}
        {segments.data && left.length === 0 && chosen.length === 0 && (
          <span className={classes.quiet}>{t("flag.noSegments")}</span>
        )}
      </span>
    ),
  };
  return <Sentence text={t("flag.segmentCondition")} parts={parts} />;
}
