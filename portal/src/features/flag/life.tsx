import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Suspense, lazy, useState } from "react";
import { useTranslation } from "react-i18next";
import { Anchored } from "@/components/anchored";
import { Button } from "@/components/button";
import { ConfirmName } from "@/components/confirm-name";
import { Waiting, Wrong } from "@/components/states";
import { Warnings } from "@/components/warnings";
import { withWords } from "@/i18n";
import { apply, tryOut } from "@/lib/changes";
import type { WholeFlag } from "@/lib/model/flag";
import classes from "./flag.module.css";
import { editFlag, useFlag } from "./use-flag";

const Duplicate = lazy(() =>
  withWords("list", import("./duplicate")).then((it) => ({ default: it.Duplicate })),
);

/** Copying a flag, putting it away, taking it back, and deleting it for good. */
export function Life({ server, archived }: { server: WholeFlag; archived: boolean }) {
  const { t } = useTranslation();
  const { organization, project, key } = useFlag();
  const navigate = useNavigate();
  const [copying, setCopying] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const [anchor, setAnchor] = useState<HTMLElement>();
  // Only what the server has archived can be deleted: an edit that waits is not that yet.
  const deletable = server.flag.archived;
  return (
    <>
      <Button small onClick={() => setCopying(true)}>
        {t("flag.duplicate")}
      </Button>
      {archived ? (
        <Button small onClick={() => editFlag(server, (it) => ({ ...it, archived: false }))}>
          {t("flag.restore")}
        </Button>
      ) : (
        <Button small aria-haspopup="dialog" onClick={(event) => setAnchor(event.currentTarget)}>
          {t("flag.archive")}
        </Button>
      )}
      {deletable && archived && (
        <Button small look="danger" onClick={() => setDeleting(true)}>
          {t("flag.delete")}
        </Button>
      )}
      {anchor && (
        <Anchored anchor={anchor} title={t("flag.archive")} close={() => setAnchor(undefined)}>
          <Archive server={server} close={() => setAnchor(undefined)} />
        </Anchored>
      )}
      {deleting && (
        <ConfirmName
          name={key}
          command={t("flag.deleteKey", { key })}
          close={() => setDeleting(false)}
          run={async () => {
            await apply(organization, {
              base: {},
              commands: [{ kind: "deleteFlag", project, flag: key }],
            });
            await navigate({
              to: "/$organization/$project/flags",
              params: { organization, project },
              search: { archived: true },
            });
          }}
        >
          <p>{t("flag.deleteHelp")}</p>
        </ConfirmName>
      )}
      <Suspense>{copying && <Duplicate close={() => setCopying(false)} />}</Suspense>
    </>
  );
}

/** What follows when it is put away: whether programs still ask for it is said before. */
function Archive({ server, close }: { server: WholeFlag; close: () => void }) {
  const { t } = useTranslation();
  const { organization, project, key } = useFlag();
  const trial = useQuery(
    tryOut(organization, {
      base: {},
      commands: [{ kind: "archiveFlag", project, flag: key }],
    }),
  );
  return (
    <div className={classes.form}>
      <p>{t("flag.archiveHelp")}</p>
      {trial.isPending && <Waiting rows={1} />}
      <Warnings of={trial.data?.warnings ?? []} />
      <Wrong error={trial.error} />
      <div>
        <Button
          look="primary"
          data-autofocus
          onClick={() => {
            editFlag(server, (it) => ({ ...it, archived: true }));
            close();
          }}
        >
          {t("quick.toReview")}
        </Button>
      </div>
    </div>
  );
}
