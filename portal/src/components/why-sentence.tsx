import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import type { Flag } from "@/lib/model/flag";
import { type Verdict, rolloutWords, verdictOf } from "@/lib/why";
import { Sentence } from "./sentence";
import { neededParts } from "./why-prerequisite";
import { Gets } from "./why-gets";
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
    ...neededParts(verdict.needed),
  };
  const text = t(`why.says.${keyOf(verdict)}` as "why.says.off", {
    environment,
    ranges: ranges(said),
    at: place(verdict.at ?? 0, said.flat()),
  });
  return <Sentence text={text} parts={parts} />;
}

const keyOf = ({ code, split, needed }: Verdict) => {
  // What is broken is met by nobody, whatever it serves.
  if (needed?.met === false && needed.broken == null) return `${code}_serves`;
  return split ? `${code}_${split}` : code;
};

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
