import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Ago } from "@/components/ago";
import type { Schemas } from "@/lib/api/client";
import classes from "./changes.module.css";
import { RevisionDoes } from "./revision";
import { timeline } from "./timeline";

/** What makes a revision. */
const MAKING: ReadonlySet<string> = new Set(["created", "revised", "rebased"]);

/** What was said and done about a request, from the first. */
export function Discussion({
  organization,
  request,
}: {
  organization: string;
  request: Schemas["RequestDetail"];
}) {
  const { t } = useTranslation();
  const happened = timeline(request).map((it, index) => ({ ...it, id: `${it.at} ${index}` }));
  return (
    <section className={classes.part} aria-label={t("request.discussion")}>
      <h2>{t("request.discussion")}</h2>
      <ol className={classes.events}>
        {happened.map(({ id, kind, at, by = "", text, revision, step, change }) => (
          <li key={id} className={classes.event} data-kind={kind}>
            <span className={classes.quiet}>
              {t(`request.events.${kind}`, { by, revision, step })}{" "}
              {change ? (
                <Link to="/$organization/changes/$id" params={{ organization, id: change }}>
                  <Ago at={at} />
                </Link>
              ) : (
                <Ago at={at} />
              )}
              {revision !== undefined &&
                revision < request.revision &&
                (kind === "approve" || kind === "decline") &&
                ` · ${t("request.ofRevision", { revision })}`}
            </span>
            {text && <p className={classes.said}>{text}</p>}
            {revision !== undefined && MAKING.has(kind) && (
              <RevisionDoes request={request} revision={revision} />
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
