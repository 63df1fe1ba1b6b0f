import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import type { Condition } from "@/lib/model/flag";
import { IN_SEGMENT, NOT_IN_SEGMENT } from "@/lib/model/operators";
import type { UsersPlace } from "@/lib/api/known";
import { PropertyPhrase } from "./property-phrase";
import classes from "./rule.module.css";
import { SegmentPhrase } from "./segment-phrase";

interface Props {
  place: UsersPlace;
  condition: Condition;
  change: (condition: Condition) => void;
  remove: () => void;
  focus?: boolean;
}

/** One condition: property, operator, value, in the language's own order. */
export function ConditionPhrase({ remove, ...rest }: Props) {
  const { t } = useTranslation();
  const segment = [IN_SEGMENT, NOT_IN_SEGMENT].includes(rest.condition.property);
  return (
    <span className={classes.condition}>
      <span className={classes.parts}>
        {segment ? <SegmentPhrase {...rest} /> : <PropertyPhrase {...rest} />}
      </span>
      <Button small look="quiet" aria-label={t("rule.removeCondition")} onClick={remove}>
        ✕
      </Button>
    </span>
  );
}
