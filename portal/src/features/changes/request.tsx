import { useTranslation } from "react-i18next";
import { Ago } from "@/components/ago";
import type { Schemas } from "@/lib/api/client";
import { useFormat } from "@/lib/format";
import { Agreement } from "./agreement";
import classes from "./changes.module.css";
import { Discussion } from "./discussion";
import { Does } from "./does";
import { RequestActions } from "./request-actions";
import { RequestConflicts } from "./request-conflicts";
import { RequestState } from "./request-state";
import { StoppedNote } from "./stopped";

interface Props {
  organization: string;
  request: Schemas["RequestDetail"];
}

/** A change that somebody asks for: what it does, who has to agree, and what was said. */
export function RequestView({ organization, request }: Props) {
  const { t } = useTranslation();
  const { moment } = useFormat();
  return (
    <article className={classes.request}>
      <div className={classes.meta}>
        <RequestState state={request.state} />
        <span>
          {t("request.by", { author: request.author })} <Ago at={request.createdAt} />
        </span>
        {request.revision > 1 && (
          <span>{t("request.revision", { revision: request.revision })}</span>
        )}
        {request.dueAt && request.state !== "stopped" && (
          <span>{t("request.dueAt", { moment: moment(request.dueAt) })}</span>
        )}
        {request.awaitsYou && <span className={classes.you}>{t("request.awaitsYou")}</span>}
      </div>
      {request.description && <p className={classes.said}>{request.description}</p>}
      {request.comment && request.comment !== request.title && (
        <p className={classes.said}>{request.comment}</p>
      )}
      {request.stopped && <StoppedNote stopped={request.stopped} />}
      <Does organization={organization} request={request} />
      <RequestConflicts organization={organization} request={request} />
      <Agreement organization={organization} request={request} />
      <RequestActions organization={organization} request={request} />
      <Discussion organization={organization} request={request} />
    </article>
  );
}
