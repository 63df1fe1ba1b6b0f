import type { ComponentType, ReactNode } from "react";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import { Ago } from "./ago";
import classes from "./change-entry.module.css";
import { DiffLine, DiffLines } from "./diff-lines";
import { Revert } from "./revert";

interface Props {
  organization: string;
  change: Schemas["ChangeView"];
  /** Which of its lines are shown; all where absent. */
  only?: (line: Schemas["DiffLine"]) => boolean;
  /** What is beside its moment. */
  more?: ReactNode;
  /** How a line is said, where administration is among them. */
  line?: ComponentType<{ line: Schemas["DiffLine"] }>;
}

/** A change set of the history: who, when, why, what; and the way back. */
export function ChangeEntry({
  organization,
  change,
  only = () => true,
  more: beside,
  line = DiffLine,
}: Props) {
  const { t } = useTranslation();
  const lines = change.diff.filter(only);
  const more = change.diff.length - lines.length;
  // Administration is not taken back by a change set.
  const about = change.diff.some(({ params }) => "flag" in params || "segment" in params);
  const reversible = about && Object.keys(change.versions).length > 0;
  return (
    <li className={classes.entry}>
      <div className={classes.head}>
        <strong>{t("history.by", { actor: change.actor, context: change.actorKind })}</strong>
        <Link to="/$organization/changes/$id" params={{ organization, id: change.id }}>
          <Ago at={change.at} />
        </Link>
        {change.request && (
          <Link to="/$organization/changes/$id" params={{ organization, id: change.request }}>
            {change.step && change.step.of > 1
              ? t("history.ofStep", { step: change.step.step, of: change.step.of })
              : t("history.ofRequest")}
          </Link>
        )}
        {beside}
        {reversible && <Revert organization={organization} id={change.id} />}
      </div>
      {change.comment && <p className={classes.comment}>{change.comment}</p>}
      {change.overridden && (
        <p className={classes.overridden}>
          {t("history.overridden", { reason: change.overridden.reason })}
        </p>
      )}
      <DiffLines lines={lines} line={line} />
      {more > 0 && <p className={classes.comment}>{t("history.moreLines", { count: more })}</p>}
    </li>
  );
}
