import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Sentence } from "@/components/sentence";
import { propertiesQuery } from "@/lib/api/queries";
import { useFormat } from "@/lib/format";
import type { Condition } from "@/lib/model/flag";
import {
  IN_SEGMENT,
  NOT_IN_SEGMENT,
  OPERATORS,
  type Operator,
  converted,
  suggested,
  takes,
} from "@/lib/model/operators";
import classes from "./flag.module.css";
import { SegmentPhrase } from "./segment-phrase";
import { useFlag } from "./use-flag";
import { ValueInput } from "./value-input";

interface Props {
  environment: string;
  condition: Condition;
  change: (condition: Condition) => void;
  remove: () => void;
}

/** One condition: property, operator, value, in the language's own order. */
export function ConditionPhrase({ environment, condition, change, remove }: Props) {
  const { t } = useTranslation();
  const inSegment = [IN_SEGMENT, NOT_IN_SEGMENT].includes(condition.property);
  return (
    <>
      {inSegment ? (
        <SegmentPhrase environment={environment} condition={condition} change={change} />
      ) : (
        <PropertyPhrase environment={environment} condition={condition} change={change} />
      )}
      <Button small look="quiet" aria-label={t("flag.removeCondition")} onClick={remove}>
        ✕
      </Button>
    </>
  );
}

function PropertyPhrase({ environment, condition, change }: Omit<Props, "remove">) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const list = useId();
  const { organization, project } = useFlag();
  const seen = useQuery(propertiesQuery(organization, project, environment));
  const properties = seen.data?.items ?? [];
  const { property, op } = condition;
  const values = properties.find((it) => it.name === property)?.values ?? [];
  const kind = takes(op);

  function setProperty(name: string) {
    const known = properties.find((it) => it.name === name);
    // The operator follows what is really sent, until a value says what was meant.
    const fresh = condition.value === "" || condition.value === "[]" || condition.value === null;
    if (!known || !fresh) return change({ ...condition, property: name });
    const next = suggested(known.values.map((it) => it.value));
    change({ property: name, op: next, value: converted("", "text", takes(next)) });
  }

  function setOperator(next: Operator) {
    change({ ...condition, op: next, value: converted(condition.value, kind, takes(next)) });
  }

  const parts = {
    property: (
      <>
        <input
          className={`${classes.control} ${classes.word}`}
          aria-label={t("flag.property")}
          placeholder={t("flag.property")}
          list={list}
          value={property}
          onChange={(event) => setProperty(event.target.value)}
        />
        <datalist id={list}>
          <option value="keyId" label={t("flag.userKey")} />
          <option value="name" />
          {properties.map((it) => (
            <option
              key={it.name}
              value={it.name}
              label={t("flag.users", { count: it.users, users: number(it.users) })}
            />
          ))}
        </datalist>
      </>
    ),
    op: (
      <select
        className={classes.control}
        aria-label={t("flag.operator")}
        value={op ?? ""}
        onChange={(event) => setOperator(event.target.value as Operator)}
      >
        {(Object.keys(OPERATORS) as Operator[]).map((it) => (
          <option key={it} value={it}>
            {t(`operator.${it}`)}
          </option>
        ))}
      </select>
    ),
    value: (
      <ValueInput
        kind={kind}
        value={condition.value}
        offered={values.map((it) => it.value)}
        change={(value) => change({ ...condition, value })}
      />
    ),
  };
  return <Sentence text={t("flag.condition")} parts={parts} />;
}
