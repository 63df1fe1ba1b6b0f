import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import { type Flag, labelOf } from "@/lib/model/flag";
import { type Verdict, rolloutWords, verdictOf } from "@/lib/why";
import { Sentence } from "./sentence";
import { VariationLabel } from "./variation";
import classes from "./why.module.css";

interface Props {
  /** The flag, for what its variations are called. */
  flag: Pick<Flag, "variations" | "onVariation">;
  environment: string;
  user: Pick<Schemas["EvaluatedUser"], "key" | "name">;
  answer: Schemas["FlagEvaluation"];
}

/** Who gets what, and why, in one sentence. */
export function WhySentence({ flag, environment, user, answer }: Props) {
  const { t, i18n } = useTranslation();
  const verdict = verdictOf(answer, flag.onVariation);
  const { ranges, place } = rolloutWords(i18n.language);
  const said = verdict.ranges ?? [];
  const parts = {
    user: (
      <bdi className={classes.user} title={user.key}>
        {user.name || user.key}
      </bdi>
    ),
    gets: <Gets flag={flag} variation={answer.variation} />,
    rule: <RuleName rule={verdict.rule} />,
    wanted: <Gets flag={flag} variation={flag.variations.find((it) => it.id === verdict.wanted)} />,
  };
  const text = t(`why.says.${keyOf(verdict)}` as "why.says.off", {
    environment,
    ranges: ranges(said),
    at: place(verdict.at ?? 0, said.flat()),
  });
  return <Sentence text={text} parts={parts} />;
}

const keyOf = ({ code, split }: Verdict) => (split ? `${code}_${split}` : code);

/** A variation by its letter and name; where there is none, what programs do then. */
export function Gets({
  flag,
  variation,
}: {
  flag: Pick<Flag, "variations">;
  variation: Schemas["Variation"] | null | undefined;
}) {
  const { t } = useTranslation();
  if (!variation) return <em className={classes.nothing}>{t("effect.codeDefault")}</em>;
  const place = flag.variations.findIndex((it) => it.id === variation.id);
  const label = labelOf({ ...variation, name: variation.name ?? null });
  return (
    <strong className={classes.gets}>
      {place < 0 ? label : <VariationLabel place={place} label={label} />}
    </strong>
  );
}

/** A rule by its place, and its name where it has one. */
export function RuleName({ rule }: { rule: { index: number; name: string } | undefined }) {
  const { t } = useTranslation();
  if (!rule) return null;
  const number = rule.index + 1;
  return (
    <bdi className={classes.name}>
      {rule.name === ""
        ? t("why.rule", { number })
        : t("why.ruleNamed", { number, name: rule.name })}
    </bdi>
  );
}
