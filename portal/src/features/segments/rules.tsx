import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { useFormat } from "@/lib/format";
import type { SegmentRule } from "@/lib/model/segment";
import { conditionWords } from "@/lib/words";
import classes from "./segments.module.css";

interface Props {
  organization: string;
  project: string;
  /** Whose users' properties are offered. */
  environment: string | undefined;
  rules: SegmentRule[];
  change: (rules: SegmentRule[]) => void;
}

/** Any rule that holds takes a user in. */
export function Rules({ rules, change }: Props) {
  const { t } = useTranslation();
  const { share, list, either } = useFormat();
  const speaker = { t, share, list, either, whole: undefined };
  if (rules.length === 0) return <p className={classes.quiet}>{t("segments.noRules")}</p>;
  return (
    <ol className={classes.rules}>
      {rules.map((rule, index) => (
        <li key={rule.id} className={classes.rule}>
          <span>
            {rule.name && <strong>{rule.name} </strong>}
            {conditionWords(speaker, rule.conditions)}
          </span>
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
    </ol>
  );
}
