import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ConditionPhrase } from "@/components/rule/condition-phrase";
import { NewCondition } from "@/components/rule/new-condition";
import { Sentence } from "@/components/sentence";
import type { UsersPlace } from "@/lib/api/known";
import type { SegmentRule } from "@/lib/model/segment";
import { uuid } from "@/lib/uuid";
import classes from "./segments.module.css";

interface Props {
  /** Whose users' properties are offered. */
  place: UsersPlace;
  rules: SegmentRule[];
  change: (rules: SegmentRule[]) => void;
}

/** Any rule that holds takes a user in. */
export function Rules({ place, rules, change }: Props) {
  const { t } = useTranslation();
  const list = useRef<HTMLOListElement>(null);
  function begin(first: SegmentRule["conditions"][number]) {
    change([...rules, { id: uuid(), name: "", conditions: [first] }]);
    // A rule of its own is another sentence than the one that was typed in.
    requestAnimationFrame(() => {
      const values = list.current?.querySelectorAll<HTMLElement>('[data-part="value"]');
      values?.[values.length - 1]?.focus();
    });
  }
  return (
    <ol ref={list} className={classes.rules}>
      {rules.map((rule, index) => (
        <li key={rule.id} className={classes.rule}>
          <Conditions
            place={place}
            rule={rule}
            change={(conditions) =>
              change(
                conditions.length === 0
                  ? rules.toSpliced(index, 1)
                  : rules.with(index, { ...rule, conditions }),
              )
            }
          />
          <Button
            small
            look="quiet"
            aria-label={t("segments.removeRule", { number: index + 1 })}
            onClick={() => change(rules.toSpliced(index, 1))}
          >
            ✕
          </Button>
        </li>
      ))}
      <li className={classes.rule}>
        <div className={classes.sentence} data-sentence>
          <div className={classes.line}>
            <Sentence
              text={t(rules.length === 0 ? "segments.ruleIf" : "segments.ruleOr")}
              parts={{ condition: <NewCondition place={place} add={begin} segments={false} /> }}
            />
          </div>
        </div>
      </li>
    </ol>
  );
}

interface ConditionsProps {
  place: UsersPlace;
  rule: SegmentRule;
  change: (conditions: SegmentRule["conditions"]) => void;
}

function Conditions({ place, rule: { name, conditions }, change }: ConditionsProps) {
  const { t } = useTranslation();
  const line = (index: number) => t(index === 0 ? "segments.ruleIf" : "segments.ruleAnd");
  return (
    <div className={classes.sentence} data-sentence>
      {name && <strong>{name}</strong>}
      {conditions.map((condition, index) => (
        // Conditions have no ids; their order is theirs alone.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={index} className={classes.line}>
          <Sentence
            text={line(index)}
            parts={{
              condition: (
                <ConditionPhrase
                  place={place}
                  condition={condition}
                  change={(next) => change(conditions.with(index, next))}
                  remove={() => change(conditions.toSpliced(index, 1))}
                />
              ),
            }}
          />
        </div>
      ))}
      <div className={classes.line}>
        <Sentence
          text={line(conditions.length)}
          parts={{
            condition: (
              <NewCondition
                place={place}
                add={(it) => change([...conditions, it])}
                segments={false}
              />
            ),
          }}
        />
      </div>
    </div>
  );
}
