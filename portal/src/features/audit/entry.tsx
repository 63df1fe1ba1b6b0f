import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ActLine } from "@/components/act-line";
import { Button } from "@/components/button";
import type { Schemas } from "@/lib/api/client";
import { useFormat } from "@/lib/format";
import classes from "./audit.module.css";
import { BeforeAfter } from "./before-after";

/** So many lines are shown of a large change; the change has all of them. */
const SHOWN = 4;

interface Props {
  organization: string;
  entry: Schemas["AuditView"];
}

/** Who did what, when, and from where. */
export function Entry({ organization, entry }: Props) {
  const { t } = useTranslation();
  const { moment, number } = useFormat();
  const [open, setOpen] = useState(false);
  const { actor, actorKind, at, changes, diff, comment, overridden, redacted } = entry;
  const left = diff.length - SHOWN;
  const change = {
    to: "/$organization/changes/$id",
    params: { organization, id: entry.id },
  } as const;
  // One who signed in says from where.
  const { address, agent } = (diff[0]?.params ?? {}) as Record<string, string | undefined>;
  return (
    <>
      <div className={classes.when}>
        <time dateTime={at}>{moment(at)}</time>
        <Link {...change} className={`${classes.number} reach`}>
          {t("audit.number", { number: number(entry.number) })}
        </Link>
      </div>
      <div className={classes.what}>
        <strong id={`entry-${entry.number}`}>
          {t("history.by", { actor, context: actorKind })}
        </strong>
        <ul>
          {diff.slice(0, SHOWN).map((line) => (
            <li key={line.text}>
              <ActLine line={line} />
            </li>
          ))}
        </ul>
        {left > 0 && <Link {...change}>{t("revert.more", { count: left })}</Link>}
        {diff.length === 0 && <p className={classes.quiet}>{t("audit.nothing")}</p>}
        {comment && <p className={classes.comment}>{comment}</p>}
        {overridden && (
          <p className={classes.overridden}>
            {t("history.overridden", { reason: overridden.reason })}
          </p>
        )}
        {address !== undefined && (
          <p className={classes.quiet}>
            {agent ? t("audit.fromBy", { address, agent }) : t("audit.from", { address })}
          </p>
        )}
        {redacted && (
          <p className={classes.quiet}>
            {t("audit.redacted", { at: moment(redacted.at), why: redacted.why })}
          </p>
        )}
        {changes.length > 0 && (
          <div>
            <Button
              small
              look="quiet"
              className={classes.toggle}
              aria-expanded={open}
              onClick={() => setOpen(!open)}
            >
              {t(open ? "audit.hideValues" : "audit.showValues")}
            </Button>
          </div>
        )}
        {open && <BeforeAfter of={changes} leftOut={entry.changesLeftOut} />}
      </div>
    </>
  );
}
