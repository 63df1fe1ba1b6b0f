import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Ago } from "@/components/ago";
import type { Schemas } from "@/lib/api/client";
import { useFormat } from "@/lib/format";
import classes from "./changes.module.css";
import { RequestState } from "./request-state";

interface Props {
  organization: string;
  request: Schemas["RequestView"];
}

/** A request among others: what it is for, whose it is, where, and what it waits for. */
export function RequestRow({ organization, request }: Props) {
  const { t } = useTranslation();
  const { list, moment } = useFormat();
  const missing = request.needs.reduce((sum, it) => sum + it.missing, 0);
  const places = request.scopes.map((it) => it.split("/")[1] ?? (it || t("changes.everywhere")));
  return (
    <li className={classes.row}>
      <Link to="/$organization/changes/$id" params={{ organization, id: request.id }}>
        <strong>{request.title}</strong>
        <span className={classes.quiet}>
          {list([...new Set(places)])} · {request.author} · <Ago at={request.changedAt} />
        </span>
        {request.dueAt && request.state !== "stopped" && (
          <span className={classes.quiet}>
            {t("request.dueAt", { moment: moment(request.dueAt) })}
          </span>
        )}
        {request.stopped && (
          <span className={classes.wrong}>{t("request.stoppedAt", request.stopped)}</span>
        )}
      </Link>
      <RequestState state={request.state} />
      {missing > 0 && request.state === "waiting" && (
        <span className={classes.quiet}>{t("request.missing", { count: missing })}</span>
      )}
      {request.awaitsYou && <span className={classes.you}>{t("request.awaitsYou")}</span>}
    </li>
  );
}
