import type { KeyboardEvent, PointerEvent, ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ConditionPhrase } from "@/components/rule/condition-phrase";
import { NewCondition } from "@/components/rule/new-condition";
import { Sentence } from "@/components/sentence";
import type { UsersPlace } from "@/lib/api/known";
import type { Condition, Flag, Rule } from "@/lib/model/flag";
import { RuleHead } from "./rule-head";
import classes from "./rules.module.css";
import { Serving } from "./serving";

interface Props {
  place: UsersPlace;
  flag: Flag;
  rule: Rule;
  /** As the server has it; none where it is new. */
  before: Rule | undefined;
  number: number;
  last: boolean;
  /** It was begun a moment ago. */
  fresh: boolean;
  /** A rule that is dragged would stand in front of it. */
  gap: boolean;
  dragged: boolean;
  grab: (event: PointerEvent<HTMLElement>) => void;
  change: (rule: Rule) => void;
  move: (by: number) => void;
  duplicate: () => void;
  remove: () => void;
  /** What is known of what it does. */
  children: ReactNode;
}

/** A rule: one sentence, whose parts are controls. */
export function RuleSentence(props: Props) {
  const { place, flag, rule, before, number, fresh, change, move, children } = props;
  const { t } = useTranslation();
  const set = (conditions: Condition[]) => change({ ...rule, conditions });

  function key(event: KeyboardEvent) {
    if (!event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
    event.preventDefault();
    move(event.key === "ArrowUp" ? -1 : 1);
  }
  const line = (index: number) => t(index === 0 ? "flag.ruleIf" : "flag.ruleAnd");

  return (
    <li
      id={`rule-${rule.id}`}
      className={classes.rule}
      data-rule={rule.id}
      data-gap={props.gap || undefined}
      data-dragged={props.dragged || undefined}
      aria-label={rule.name || t("flag.ruleNumber", { number })}
      onKeyDown={key}
    >
      <RuleHead {...props} name={rule.name} rename={(name) => change({ ...rule, name })} />
      <div className={classes.sentence} data-sentence>
        {rule.conditions.map((condition, index) => (
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
                    focus={fresh && index === 0}
                    change={(next) => set(rule.conditions.with(index, next))}
                    remove={() => set(rule.conditions.toSpliced(index, 1))}
                  />
                ),
              }}
            />
          </div>
        ))}
        <div className={classes.line}>
          <Sentence
            text={line(rule.conditions.length)}
            parts={{
              condition: <NewCondition place={place} add={(it) => set([...rule.conditions, it])} />,
            }}
          />
        </div>
        <div className={classes.line}>
          <Sentence
            text={t("flag.ruleServe")}
            parts={{
              serving: (
                <Serving
                  place={place}
                  flag={flag}
                  serving={rule.serving}
                  before={before?.serving}
                  change={(serving) => change({ ...rule, serving })}
                />
              ),
            }}
          />
        </div>
      </div>
      {children}
    </li>
  );
}
