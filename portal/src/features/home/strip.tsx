import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { ChangeEntry } from "@/components/change-entry";
import type { Schemas } from "@/lib/api/client";
import { MOST_RECENT, recentQuery, waitingQuery } from "@/lib/api/home";
import { inboxQuery } from "@/lib/api/queries";
import { type Subject, subjectOf } from "@/lib/draft/edit";
import { useDraft } from "@/lib/draft/store";
import classes from "./strip.module.css";

interface Props {
  organization: string;
  project: string;
  /** Whether there is anything to say. */
  says: (something: boolean) => void;
  /** What keeps its place until that is known. */
  held: ReactNode;
}

/** What waits for me here, in one line above the flags; nothing where nothing does. */
export function HomeStrip({ organization, project, says, held }: Props) {
  const { t } = useTranslation();
  const id = useId();
  const [opened, setOpened] = useState<"edits" | "recent">();
  const inbox = useQuery(inboxQuery(organization));
  const review = inbox.data?.review ?? 0;
  const asked = useQuery({
    ...waitingQuery(organization, "forMe", project),
    enabled: review === 1,
  });
  const stopped = useQuery(waitingQuery(organization, "stopped", project)).data ?? [];
  const recent = useQuery(recentQuery(organization, project)).data;
  const edits = useDraft().commands;
  const mine = inbox.data?.mine ?? 0;
  const changed = recent?.items ?? [];
  const something = review + mine + stopped.length + edits.length + changed.length > 0;
  const known = inbox.data !== undefined && recent !== undefined;
  useEffect(() => {
    if (known) says(something);
  }, [known, something, says]);
  if (!something) return known ? null : held;

  const toggle = (which: "edits" | "recent") => ({
    "aria-expanded": opened === which,
    "aria-controls": id,
    onClick: () => setOpened(opened === which ? undefined : which),
  });
  return (
    <section className={classes.strip} aria-label={t("home.label")}>
      <ul className={classes.items}>
        {review > 0 && (
          <Request organization={organization} of={asked.data} show="forMe">
            {t("home.review", { count: review })}
          </Request>
        )}
        {mine > 0 && (
          <Request organization={organization} of={undefined} show="mine">
            {t("home.mine", { count: mine })}
          </Request>
        )}
        {stopped.length > 0 && (
          <Request organization={organization} of={stopped} show="open">
            {t("home.stopped", { count: stopped.length })}
          </Request>
        )}
        {edits.length > 0 && (
          <li>
            <button type="button" {...toggle("edits")}>
              {t("home.edits", { count: edits.length })}
            </button>
          </li>
        )}
        {changed.length > 0 && (
          <li>
            <button type="button" {...toggle("recent")}>
              {t(recent?.more ? "home.recentMore" : "home.recent", {
                count: recent?.more ? MOST_RECENT : changed.length,
              })}
            </button>
          </li>
        )}
      </ul>
      <div id={id}>
        {opened === "edits" && <Edited organization={organization} of={edits.map(subjectOf)} />}
        {opened === "recent" && (
          <>
            <ul className={classes.changes}>
              {changed.map((it) => (
                <ChangeEntry key={it.id} organization={organization} change={it} />
              ))}
            </ul>
            <Link
              to="/$organization/changes/history"
              params={{ organization }}
              search={{ project }}
              className={classes.all}
            >
              {t("home.all")}
            </Link>
          </>
        )}
      </div>
    </section>
  );
}

interface RequestProps {
  organization: string;
  /** Those that are meant; where it is one, it is gone to. */
  of: Schemas["RequestView"][] | undefined;
  show: "forMe" | "mine" | "open";
  children: ReactNode;
}

function Request({ organization, of, show, children }: RequestProps) {
  const only = of?.length === 1 ? of[0] : undefined;
  return (
    <li data-urgent={show === "forMe" || undefined}>
      {only ? (
        <Link to="/$organization/changes/$id" params={{ organization, id: only.id }}>
          {children}
        </Link>
      ) : (
        <Link
          to="/$organization/changes"
          params={{ organization }}
          search={show === "open" ? {} : { show }}
        >
          {children}
        </Link>
      )}
    </li>
  );
}

/** Where the edits are that nobody applied yet. */
function Edited({ organization, of }: { organization: string; of: Subject[] }) {
  const places = new Map(of.map((it) => [`${it.kind} ${it.project ?? ""} ${it.key}`, it]));
  return (
    <ul className={classes.edited}>
      {[...places].map(([id, { kind, key, project }]) => (
        <li key={id}>
          {kind === "flag" && project !== undefined ? (
            <Link
              to="/$organization/$project/flags/$flag"
              params={{ organization, project, flag: key }}
            >
              <code>{key}</code>
            </Link>
          ) : (
            <code>{key}</code>
          )}
        </li>
      ))}
    </ul>
  );
}
