import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Ago } from "@/components/ago";
import { Button } from "@/components/button";
import type { Schemas } from "@/lib/api/client";
import { colliding, keepMine, takeTheirs } from "@/lib/draft/conflict";
import type { Draft } from "@/lib/draft/draft";
import { changeDraft } from "@/lib/draft/store";
import { stampOf } from "@/lib/stamp";
import { EditLine } from "./edit-line";
import classes from "./review.module.css";

interface Props {
  organization: string;
  draft: Draft;
  conflicts: Schemas["Collision"][];
  close: () => void;
  /** What was refused is not said any more once it is decided. */
  resolved: () => void;
}

/** Somebody changed the same part meanwhile: keep mine, take theirs, or edit. */
export function Conflicts({ organization, draft, conflicts, close, resolved }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  useEffect(() => {
    // What they made is what the pages show now.
    for (const key of ["flag", "segment"]) {
      void queries.invalidateQueries({ queryKey: [key, organization] });
    }
  }, [queries, organization, conflicts]);
  const decide = (how: (now: Draft) => Draft) => {
    changeDraft(how);
    resolved();
  };
  return (
    <div className={classes.conflicts} role="alert">
      <h2>{t("conflict.title")}</h2>
      {conflicts.map((it) => {
        const [project = "", environment] = it.scope.split("/");
        const params = { organization, project, flag: it.key };
        const place = environment ?? (project || t("review.organization"));
        return (
          <div key={`${it.scope} ${it.key} ${it.version}`} className={classes.conflict}>
            <p>
              {t("conflict.changed", { by: it.by, flag: it.key, place })} <Ago at={it.at} />
              {it.comment && `: ${it.comment}`}{" "}
              {environment !== undefined && (
                <Link
                  to="/$organization/$project/history/$environment/$version"
                  params={{ organization, project, environment, version: String(it.version) }}
                >
                  {t("conflict.show")}
                </Link>
              )}
            </p>
            <ul>
              {colliding(draft, it).map((edit) => (
                <li key={stampOf(edit)}>
                  {t("conflict.yours")} <EditLine organization={organization} edit={edit} />
                </li>
              ))}
            </ul>
            <div className={classes.buttons}>
              <Button small onClick={() => decide((now) => keepMine(now, it))}>
                {t("conflict.keep")}
              </Button>
              <Button small onClick={() => decide((now) => takeTheirs(now, it))}>
                {t("conflict.take", { by: it.by })}
              </Button>
              {it.kind === "flag" && environment !== undefined && (
                <Link
                  to="/$organization/$project/flags/$flag/$environment"
                  params={{ ...params, environment }}
                  onClick={close}
                >
                  {t("conflict.edit")}
                </Link>
              )}
            </div>
          </div>
        );
      })}
    </div>
  );
}
