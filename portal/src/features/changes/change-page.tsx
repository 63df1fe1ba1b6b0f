import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ActLine } from "@/components/act-line";
import { ChangeEntry } from "@/components/change-entry";
import { CopyAs } from "@/components/copy-as";
import { Delivery } from "@/components/delivery/delivery";
import { ItemChanges } from "@/components/item-changes";
import { Page } from "@/components/page";
import { Failure, Waiting } from "@/components/states";
import { changeQuery, requestQuery } from "@/lib/api/changes";
import { type Schemas, Refused } from "@/lib/api/client";
import { editsOf } from "@/lib/draft/edit";
import { useTitle } from "@/lib/title";
import classes from "./changes.module.css";
import { RequestView } from "./request";

/** One change: a request that waits or waited, or a change set of the history. */
export function ChangePage() {
  const { t } = useTranslation();
  const { organization, id } = useParams({ from: "/$organization/changes/$id" });
  // An id does not say of which of the two it is; a number is of the history.
  const numbered = /^\d+$/.test(id);
  const change = useQuery({ ...changeQuery(organization, id), retry: false });
  const request = useQuery({ ...requestQuery(organization, id), enabled: !numbered, retry: false });
  const title = request.data?.title ?? t("changes.change");
  useTitle(title);
  const missing = (error: unknown) => error instanceof Refused && error.status === 404;
  const error = numbered || missing(request.error) ? change.error : request.error;
  const trail = (
    <Link
      to={request.data ? "/$organization/changes" : "/$organization/changes/history"}
      params={{ organization }}
    >
      {t(request.data ? "changes.requests" : "changes.history")}
    </Link>
  );
  const commands = request.data?.commands ?? [];
  const copied = {
    organization,
    link: `/${organization}/changes/${id}`,
    call: { path: `/api/v1/${request.data ? "requests" : "changes"}/${id}` },
    ...(commands.length > 0 ? { set: { commands: editsOf(commands) } } : {}),
  };
  if (!request.data && !change.data && error && !change.isPending) {
    return <Failure error={error} retry={() => void change.refetch()} />;
  }
  return (
    <Page title={title} trail={trail} actions={<CopyAs of={copied} look="quiet" />}>
      {request.data ? (
        <RequestView organization={organization} request={request.data} />
      ) : change.data ? (
        <Applied organization={organization} change={change.data} />
      ) : (
        <Waiting />
      )}
    </Page>
  );
}

function Applied({
  organization,
  change,
}: {
  organization: string;
  change: Schemas["ChangeView"];
}) {
  const { t } = useTranslation();
  return (
    <>
      <ol>
        <ChangeEntry organization={organization} change={change} line={ActLine} />
      </ol>
      <Delivery key={change.id} organization={organization} change={change} />
      {change.changes.length > 0 && (
        <section className={classes.part} aria-label={t("request.beforeAfter")}>
          <h2>{t("request.beforeAfter")}</h2>
          <ItemChanges of={change.changes} leftOut={change.changesLeftOut} />
        </section>
      )}
    </>
  );
}
