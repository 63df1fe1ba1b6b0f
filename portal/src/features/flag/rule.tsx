import type { KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Sentence } from "@/components/sentence";
import type { Condition, Flag, Rule } from "@/lib/model/flag";
import { IN_SEGMENT } from "@/lib/model/operators";
import { ConditionPhrase } from "./condition";
import classes from "./flag.module.css";
import { Serving } from "./serving";

interface Props {
  flag: Flag;
  environment: string;
  rule: Rule;
  number: number;
  last: boolean;
  change: (rule: Rule) => void;
  remove: () => void;
  move: (by: number) => void;
}

/** A rule: one sentence, whose parts are controls. */
export function RuleSentence(props: Props) {
  const { flag, environment, rule, number, last, change, remove, move } = props;
  const { t } = useTranslation();
  const set = (conditions: Condition[]) => change({ ...rule, conditions });
  const name = rule.name || t("flag.ruleNumber", { number });

  function key(event: KeyboardEvent) {
    if (!event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
    event.preventDefault();
    move(event.key === "ArrowUp" ? -1 : 1);
  }

  const conditions = rule.conditions.map((condition, index) => (
    // Conditions have no ids; their order is theirs alone.
    // oxlint-disable-next-line react/no-array-index-key
    <span key={index} className={classes.phrase}>
      {index > 0 && <span className={classes.quiet}>{t("flag.and")}</span>}
      <ConditionPhrase
        environment={environment}
        condition={condition}
        change={(next) => set(rule.conditions.with(index, next))}
        remove={() => set(rule.conditions.toSpliced(index, 1))}
      />
    </span>
  ));

  return (
    <li id={`rule-${rule.id}`} className={classes.rule} aria-label={name} onKeyDown={key}>
      <div className={classes.ruleHead}>
        <input
          className={classes.ruleName}
          aria-label={t("flag.ruleName")}
          placeholder={t("flag.ruleNumber", { number })}
          value={rule.name}
          onChange={(event) => change({ ...rule, name: event.target.value })}
        />
        <Button
          small
          look="quiet"
          aria-label={t("flag.moveUp", { name })}
          title="⌥↑"
          disabled={number === 1}
          onClick={() => move(-1)}
        >
          ↑
        </Button>
        <Button
          small
          look="quiet"
          aria-label={t("flag.moveDown", { name })}
          title="⌥↓"
          disabled={last}
          onClick={() => move(1)}
        >
          ↓
        </Button>
        <Button small look="quiet" aria-label={t("flag.removeRule", { name })} onClick={remove}>
          ✕
        </Button>
      </div>
      <div className={classes.sentence}>
        <Sentence
          text={t(rule.conditions.length === 0 ? "flag.ruleForAll" : "flag.ruleSentence")}
          parts={{
            conditions: <span className={classes.phrases}>{conditions}</span>,
            serving: (
              <Serving
                flag={flag}
                environment={environment}
                serving={rule.serving}
                change={(serving) => change({ ...rule, serving })}
              />
            ),
          }}
        />
      </div>
      <div className={classes.ruleMore}>
        <Button
          small
          look="quiet"
          onClick={() => set([...rule.conditions, { property: "", op: "IsOneOf", value: "[]" }])}
        >
          {t("flag.addCondition")}
        </Button>
        <Button
          small
          look="quiet"
          onClick={() => set([...rule.conditions, { property: IN_SEGMENT, op: null, value: "[]" }])}
        >
          {t("flag.addSegment")}
        </Button>
      </div>
    </li>
  );
}
