import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { TypedChips } from "@/components/typed-chips";
import { Sentence } from "@/components/sentence";
import { segmentsQuery } from "@/lib/api/queries";
import type { Condition } from "@/lib/model/flag";
import { IN_SEGMENT, NOT_IN_SEGMENT, listOf } from "@/lib/model/operators";
import { OperatorPart } from "./operator-part";
import type { UsersPlace } from "@/lib/api/known";
import { nextPart } from "./next-part";
import classes from "./rule.module.css";

interface Props {
  place: UsersPlace;
  condition: Condition;
  change: (condition: Condition) => void;
}

/** Whether a user is in one of some segments. */
export function SegmentPhrase({ place, condition, change }: Props) {
  const { t } = useTranslation();
  const { organization, project, environment } = place;
  const segments = useQuery(segmentsQuery(organization, project, environment));
  // An id is for machines: it is shown where there is no name, and not before that is known.
  const nameOf = (id: string) =>
    segments.isPending ? "…" : (segments.data?.find((it) => it.id === id)?.name ?? id);
  const chosen = listOf(condition.value);
  const parts = {
    op: (
      <OperatorPart
        value={condition.property}
        options={[
          { value: IN_SEGMENT, label: t("flag.inSegment") },
          { value: NOT_IN_SEGMENT, label: t("flag.notInSegment") },
        ]}
        change={(property) => change({ ...condition, property })}
      />
    ),
    value:
      segments.data?.length === 0 && chosen.length === 0 ? (
        <span className={classes.quiet}>{t("rule.noSegments")}</span>
      ) : (
        <TypedChips
          label={t("rule.chooseSegment")}
          placeholder={t("rule.chooseSegment")}
          part="value"
          strict
          values={chosen}
          name={nameOf}
          offered={(segments.data ?? []).map((it) => ({
            value: it.id,
            label: it.name,
            detail: it.key,
          }))}
          change={(ids) => change({ ...condition, value: JSON.stringify(ids) })}
          next={(from) => nextPart(from)}
        />
      ),
  };
  return <Sentence text={t("rule.segmentCondition")} parts={parts} />;
}
