import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import { useFormat } from "@/lib/format";
import { NOT_IN_SEGMENT, isOperator, listOf, takes } from "@/lib/model/operators";
import { Sentence } from "./sentence";
import classes from "./why.module.css";

/** So many values of a list are named. */
const NAMED = 6;

/** A condition: whether it holds, what it asks, and what the user has. */
export function WhyCondition({ condition }: { condition: Schemas["ConditionStep"] }) {
  const { t } = useTranslation();
  const { holds, broken, segments } = condition;
  return (
    <li className={classes.condition} data-holds={holds || undefined}>
      <span className={classes.sign} aria-hidden="true">
        {holds ? "✓" : "✕"}
      </span>
      <div>
        <span className="hidden">{t(holds ? "why.holds" : "why.fails")}</span>
        {segments ? <Membership condition={condition} /> : <Comparison condition={condition} />}
        {broken != null && (
          <div className={classes.broken}>
            {t(`why.broken.${broken}` as "why.broken.missingValue", { defaultValue: broken })}
          </div>
        )}
      </div>
    </li>
  );
}

function Comparison({ condition: { property, op, value, actual } }: Props) {
  const { t } = useTranslation();
  const operator = op ?? null;
  const parts = {
    property:
      property === "keyId" ? t("why.userKey") : <code className={classes.text}>{property}</code>,
    op: isOperator(operator) ? t(`operator.${operator}`) : <code>{operator}</code>,
    value: <Asked operator={operator} value={value ?? null} />,
  };
  return (
    <>
      <span className={classes.asked}>
        <Sentence text={t("rule.condition")} parts={parts} />
      </span>{" "}
      <span className={classes.has}>
        <Has value={actual ?? null} />
      </span>
    </>
  );
}

interface Props {
  condition: Schemas["ConditionStep"];
}

function Asked({ operator, value }: { operator: string | null; value: string | null }) {
  const { t } = useTranslation();
  const { list } = useFormat();
  const kind = takes(operator);
  if (kind === "nothing") return null;
  if (kind !== "list" && kind !== "networks") return <code className={classes.text}>{value}</code>;
  const items = listOf(value);
  const more = items.length - NAMED;
  const keys = more > 0 ? items.slice(0, NAMED).join(", ") : list(items);
  return (
    <code className={classes.text}>
      {more > 0 ? t("command.andMore", { keys, count: more }) : keys}
    </code>
  );
}

/** What the user has, as a phrase or bare: never sent is not the same as empty. */
export function Has({ value, bare = false }: { value: string | null; bare?: boolean }) {
  const { t } = useTranslation();
  if (value === null) return t("why.neverSent");
  if (value === "") return t("why.empty");
  const has = (
    <bdi>
      <code className={classes.text}>{value}</code>
    </bdi>
  );
  return bare ? has : <Sentence text={t("why.has")} parts={{ value: has }} />;
}

function Membership({ condition: { property, segments } }: Props) {
  const { t } = useTranslation();
  return (
    <>
      {t(property === NOT_IN_SEGMENT ? "flag.notInSegment" : "flag.inSegment")}
      <ul className={classes.segments}>
        {segments?.map(({ id, name, why, rule }) => (
          <li key={id}>
            <bdi className={classes.name}>{name || id}</bdi>{" "}
            <span className={classes.has}>
              {t(`why.member.${why}`, { number: (rule ?? 0) + 1 })}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
