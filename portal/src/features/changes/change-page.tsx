import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ChangeEntry } from "@/components/change-entry";
import { Failure, Waiting } from "@/components/states";
import { Refused } from "@/lib/api/client";
import { changeQuery, requestQuery } from "@/lib/api/queries";
import { useTitle } from "@/lib/title";
import classes from "./changes.module.css";
import { RequestView } from "./request";

/** One change: a request that waits or waited, or a change set of the history. */
export function ChangePage() {
  const { t } = useTranslation();
  const { organization, id } = useParams({ from: "/$organization/changes/$id" });
  // An id does not say of which of the two it is; a number is of the history.
  const numbered = /^\d+$/.test(id);
  const change = useQuery(changeQuery(organization, id));
  const request = useQuery({ ...requestQuery(organization, id), enabled: !numbered });
  useTitle(request.data?.title ?? t("changes.change"));
  const missing = (error: unknown) => error instanceof Refused && error.status === 404;
  const error = numbered || missing(request.error) ? change.error : request.error;
  return (
    <div className={classes.page}>
      <p className={classes.trail}>
        <Link to="/$organization/changes" params={{ organization }}>
          {t("shell.changes")}
        </Link>
      </p>
      {request.data ? (
        <RequestView organization={organization} request={request.data} />
      ) : change.data ? (
        <>
          <h1>{t("changes.change")}</h1>
          <ol>
            <ChangeEntry organization={organization} change={change.data} />
          </ol>
        </>
      ) : error && !change.isPending ? (
        <Failure error={error} retry={() => void change.refetch()} />
      ) : (
        <Waiting />
      )}
    </div>
  );
}
