import { useTranslation } from "react-i18next";
import { Ago } from "@/components/ago";
import { DiffLines } from "@/components/diff-lines";
import { Needs } from "@/components/needs";
import type { Schemas } from "@/lib/api/client";
import { useFormat } from "@/lib/format";
import classes from "./changes.module.css";
import { RequestActions } from "./request-actions";

interface Props {
  organization: string;
  request: Schemas["RequestDetail"];
}

/** A change that somebody asks for: what it does, who has to agree, and what was said. */
export function RequestView({ organization, request }: Props) {
  const { t } = useTranslation();
  const { list } = useFormat();
  const { now } = request;
  const approved = [...new Set(request.needs.flatMap((it) => it.approvedBy))];
  const declined = [...new Set(request.needs.flatMap((it) => it.declinedBy))];
  const events = request.events.map((it, index) => ({ ...it, id: `${it.at} ${index}` }));
  return (
    <article className={classes.request}>
      <h1>{request.title}</h1>
      <p className={classes.meta}>
        <span className={classes.state} data-state={request.state}>
          {t(`request.states.${request.state}`)}
        </span>
        {t("request.by", { author: request.author })} <Ago at={request.createdAt} />
      </p>
      {request.description && <p>{request.description}</p>}
      {request.comment && request.comment !== request.title && <p>{request.comment}</p>}
      <section className={classes.part}>
        <h2>{t("request.does")}</h2>
        <DiffLines lines={now && now.diff.length > 0 ? now.diff : request.diff} />
        {now?.refused && (
          <p className={classes.warning}>{t("request.refused", { why: now.refused.detail })}</p>
        )}
        {now?.conflicts.map((it) => (
          <p key={`${it.scope} ${it.key} ${it.version}`} className={classes.warning}>
            {t("conflict.changed", { by: it.by, flag: it.key, place: it.scope })} <Ago at={it.at} />
          </p>
        ))}
      </section>
      <section className={classes.part}>
        <h2>{t("request.agreement")}</h2>
        <Needs needs={request.needs.filter((it) => it.missing > 0)} />
        {approved.length > 0 && <p>{t("request.approvedBy", { names: list(approved) })}</p>}
        {declined.length > 0 && (
          <p className={classes.warning}>{t("request.declinedBy", { names: list(declined) })}</p>
        )}
      </section>
      <RequestActions organization={organization} request={request} />
      <section className={classes.part}>
        <h2>{t("request.discussion")}</h2>
        <ol>
          {events.map((event) => (
            <li key={event.id} className={classes.event}>
              <span className={classes.quiet}>
                {t(`request.events.${event.kind}` as "request.events.approve", {
                  by: event.by,
                  defaultValue: `${event.by}: ${event.kind}`,
                })}{" "}
                <Ago at={event.at} />
              </span>
              {event.text && <p>{event.text}</p>}
            </li>
          ))}
        </ol>
      </section>
    </article>
  );
}
