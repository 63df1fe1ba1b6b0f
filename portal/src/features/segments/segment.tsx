import { Link, Outlet, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { CopyButton } from "@/components/copy";
import { useLacking } from "@/components/may";
import { Page } from "@/components/page";
import { Failure, Waiting } from "@/components/states";
import { Tabs } from "@/components/tabs";
import { resourceOf } from "@/lib/model/segment";
import { useShortcuts } from "@/lib/shortcuts";
import { useTitle } from "@/lib/title";
import { DeleteSegment } from "./delete";
import { Details } from "./details";
import { PlaceName } from "./place-name";
import classes from "./segments.module.css";
import { editSegment, useSegment } from "./use-segment";

/** A segment: what it is called and where it is used; its parts are below. */
export function SegmentPage() {
  const { t } = useTranslation();
  const { organization, project, address, key, place, detail, environments, server, view } =
    useSegment();
  const [editing, setEditing] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const resource = resourceOf(place, key);
  const lacking = useLacking(organization, {
    edit: { action: "segment.rename", resource },
    archive: { action: "segment.archive", resource },
    restore: { action: "segment.restore", resource },
    delete: { action: "segment.delete", resource },
  });
  useTitle(view?.name ?? key, project);
  const navigate = useNavigate();
  useShortcuts(() => [
    {
      keys: "e",
      words: t("segments.keys.edit"),
      run: () => lacking.edit === undefined && setEditing(!editing),
    },
    {
      keys: "h",
      words: t("segments.history"),
      run: () =>
        void navigate({
          to: "/$organization/$project/segments/$place/$segment/history",
          params: { organization, project, place: address, segment: key },
        }),
    },
  ]);
  if (detail.isError) {
    return <Failure error={detail.error} retry={() => void detail.refetch()} />;
  }
  if (!server || !view || !detail.data || !environments.data) return <Waiting />;
  const params = { organization, project, place: address, segment: key };
  return (
    <Page
      trail={
        <Link to="/$organization/$project/segments" params={{ organization, project }}>
          {t("segments.title")}
        </Link>
      }
      title={view.name}
      actions={
        <>
          <Button
            small
            aria-expanded={editing}
            lacking={lacking.edit}
            onClick={() => setEditing(!editing)}
          >
            {t("segments.edit")}
          </Button>
          <Button
            small
            lacking={view.archived ? lacking.restore : lacking.archive}
            onClick={() => editSegment(server, (it) => ({ ...it, archived: !it.archived }))}
          >
            {t(view.archived ? "segments.restore" : "segments.archive")}
          </Button>
          <Button small look="danger" lacking={lacking.delete} onClick={() => setDeleting(true)}>
            {t("segments.delete")}
          </Button>
        </>
      }
    >
      <div className={classes.facts}>
        <code>{key}</code>
        <CopyButton text={key} label={t("segments.copyKey")} look="quiet" />
        <span>
          <PlaceName place={place} environments={environments.data} />
        </span>
        {view.archived && <strong>{t("segments.isArchived")}</strong>}
        {view.tags.map((tag) => (
          <span key={tag} className={classes.tag}>
            {tag}
          </span>
        ))}
      </div>
      {editing ? (
        <Details server={server} view={view} close={() => setEditing(false)} />
      ) : (
        view.description && <p className={classes.quiet}>{view.description}</p>
      )}
      <Tabs label={view.name}>
        <Link
          to="/$organization/$project/segments/$place/$segment"
          params={params}
          activeOptions={{ exact: true }}
        >
          {t("segments.users")}
        </Link>
        <Link to="/$organization/$project/segments/$place/$segment/history" params={params}>
          {t("segments.history")}
        </Link>
      </Tabs>
      <Outlet />
      {deleting && (
        <DeleteSegment
          organization={organization}
          project={project}
          place={place}
          detail={detail.data}
          close={() => setDeleting(false)}
        />
      )}
    </Page>
  );
}
