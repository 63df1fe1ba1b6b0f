import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Combobox } from "@/components/combobox";
import { Sentence } from "@/components/sentence";
import { useFormat } from "@/lib/format";
import type { Condition } from "@/lib/model/flag";
import { OPERATORS, type Operator, converted, takes } from "@/lib/model/operators";
import { useSettled } from "@/lib/settled";
import { OperatorPart } from "./operator-part";
import { type UsersPlace, knownUsersQuery } from "@/lib/api/known";
import { nextPart } from "./next-part";
import classes from "./rule.module.css";
import { useProperties } from "./use-properties";
import { ValueInput } from "./value-input";

interface Props {
  place: UsersPlace;
  condition: Condition;
  change: (condition: Condition) => void;
  focus?: boolean;
}

/** Properties by which users are known themselves, and not grouped. */
const NAMES = ["keyId", "name"];

/** What a property of the user is like: each part offers what users really have. */
export function PropertyPhrase({ place, condition, change, focus }: Props) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const properties = useProperties(place);
  const { property, op } = condition;
  const kind = takes(op);
  const [typed, setTyped] = useState("");
  const search = useSettled(typed);
  const named = NAMES.includes(property);
  const users = useQuery(knownUsersQuery(named ? place : undefined, search));
  const offered = named
    ? (users.data ?? []).map((it) => ({
        value: property === "name" ? it.name : it.key,
        detail: property === "name" ? it.key : it.name,
      }))
    : properties.valuesOf(property).map(({ value, description, users }) => ({
        value,
        detail:
          description ??
          (users === undefined
            ? undefined
            : t("rule.users", { count: users, users: number(users) })),
      }));

  function setOperator(next: string) {
    const value = converted(condition.value, kind, takes(next));
    change({ ...condition, op: next as Operator, value });
  }

  const parts = {
    property: (
      <Combobox
        label={t("rule.property")}
        placeholder={t("rule.property")}
        part="property"
        className={`${classes.control} ${classes.property}`}
        options={properties.options}
        value={property}
        eager
        focus={focus ?? false}
        change={(name) => change(properties.named(condition, name))}
        // The operator follows from what users have: who types goes on with the value.
        next={(from) => nextPart(from, "op")}
      />
    ),
    op: (
      <OperatorPart
        value={op ?? ""}
        change={setOperator}
        options={(Object.keys(OPERATORS) as Operator[]).map((it) => ({
          value: it,
          label: t(`operator.${it}`),
        }))}
      />
    ),
    value: (
      <ValueInput
        op={op}
        kind={kind}
        value={condition.value}
        offered={offered}
        typed={setTyped}
        change={(value) => change({ ...condition, value })}
      />
    ),
  };
  return <Sentence text={t("rule.condition")} parts={parts} />;
}
