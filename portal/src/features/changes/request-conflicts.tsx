import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Ago } from "@/components/ago";
import { Button } from "@/components/button";
import { Wrong } from "@/components/states";
import type { Schemas } from "@/lib/api/client";
import { colliding } from "@/lib/draft/conflict";
import { editsOf } from "@/lib/draft/edit";
import { useActs } from "./acts";
import classes from "./changes.module.css";

interface Props {
  organization: string;
  request: Schemas["RequestDetail"];
}

/** Others changed what the request touches: it goes on with its own, or without these parts. */
export function RequestConflicts({ organization, request }: Props) {
  const { t } = useTranslation();
  const act = useActs(organization, request);
  const conflicts = request.now?.conflicts ?? [];
  if (conflicts.length === 0) return null;
  const commands = editsOf(request.commands);
  const gone = new Set(conflicts.flatMap((it) => colliding({ base: {}, commands }, it)));
  const left = commands.filter((it) => !gone.has(it));
  const single = request.steps.length === 1 && !request.steps[0]?.at;
  return (
    <section className={classes.conflicts} aria-label={t("conflict.title")}>
      <h2>{t("conflict.title")}</h2>
      {conflicts.map((it) => {
        const [project = "", environment] = it.scope.split("/");
        const place = environment ?? project;
        return (
          <p key={`${it.scope} ${it.key} ${it.version}`}>
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
        );
      })}
      <p className={classes.quiet}>{t("request.rebaseHelp")}</p>
      <Wrong error={act.error} />
      <div className={classes.buttons} data-screen-only>
        <Button busy={act.isPending} onClick={() => act.mutate({ kind: "rebase" })}>
          {t("request.keepOwn")}
        </Button>
        {single && (
          <Button
            busy={act.isPending}
            onClick={() =>
              act.mutate(
                left.length === 0
                  ? { kind: "withdraw" }
                  : { kind: "revise", commands: left, comment: request.comment },
              )
            }
          >
            {t(left.length === 0 ? "request.takeTheirsAll" : "request.takeTheirs")}
          </Button>
        )}
      </div>
    </section>
  );
}
