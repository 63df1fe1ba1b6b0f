import { useTranslation } from "react-i18next";
import { ReasonWords } from "@/components/why-reason";
import type { Schemas } from "@/lib/api/client";
import { labelOf } from "@/lib/model/flag";
import classes from "./users.module.css";

interface Props {
  answer: Schemas["FlagEvaluation"];
  /** The flag's name, where it is known yet. */
  name: string | undefined;
}

/** What one flag gives, and by what. */
export function UserFlag({ answer, name }: Props) {
  const { t } = useTranslation();
  const { flag, variation } = answer;
  return (
    <>
      <span className={classes.flagName}>
        <span className={classes.cut}>{name ?? flag}</span>
        {name !== undefined && name !== flag && <code className={classes.cut}>{flag}</code>}
      </span>
      <strong className={classes.cut} title={variation?.value}>
        {variation
          ? labelOf({ ...variation, name: variation.name ?? null })
          : t("effect.codeDefault")}
      </strong>
      <span className={`${classes.cut} ${classes.quiet}`}>
        <ReasonWords reason={answer.reason} />
      </span>
    </>
  );
}
