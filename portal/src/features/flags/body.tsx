import { Link } from "@tanstack/react-router";
import { Suspense, lazy, useCallback } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Empty, Waiting } from "@/components/states";
import { withWords } from "@/i18n";
import type { Schemas } from "@/lib/api/client";
import { toast } from "@/lib/toasts";
import { type Bulk, MOST } from "./bulk";
import { bulkToReview } from "./bulk-to-review";
import { copiedOf } from "./copied";
import { Filters } from "./filters";
import { FlagList } from "./list";
import { useSelection } from "./selection";
import type { List } from "./use-list";
import { Views } from "./views";

const BulkBar = lazy(() =>
  withWords("list", import("./bulk-bar")).then((it) => ({ default: it.BulkBar })),
);

interface Props {
  organization: string;
  project: string;
  list: List;
  settings: Schemas["MemberSettings"] | undefined;
  create: () => void;
}

/** The filter, the flags, and what is done with those that are selected. */
export function Body({ organization, project, list, settings, create }: Props) {
  const { t } = useTranslation();
  const { index, items, environments, filter, change, text, setText } = list;
  const selection = useSelection(items);
  const { clear } = selection;
  const run = useCallback(
    (of: List["items"], command: Bulk) => {
      if (!index || of.length === 0) return;
      const count = bulkToReview(project, index, of, command);
      if (count === 0) toast(t("flags.soAlready"));
      if (count > MOST) toast(t("flags.tooMany", { most: MOST }));
      // Tags are pressed one after the other.
      else if (command.kind !== "tag" && command.kind !== "untag") clear();
    },
    [project, index, clear, t],
  );
  const archived = filter.archived ?? false;
  const archive = useCallback(
    (of: List["items"]) => run(of, { kind: archived ? "restoreFlag" : "archiveFlag" }),
    [run, archived],
  );
  if (!index) return <Waiting rows={14} />;
  if (index.items.length === 0) {
    return (
      <Empty title={t("flags.none")}>
        <p>{t("flags.noneHelp")}</p>
        <Button look="primary" onClick={create}>
          {t("flags.newFirst")}
        </Button>
        <Link to="/$organization/$project/connect" params={{ organization, project }}>
          {t("flags.connect")}
        </Link>
      </Empty>
    );
  }
  return (
    <>
      <Views
        organization={organization}
        project={project}
        index={index}
        filter={filter}
        saved={settings?.savedViews ?? []}
      />
      <Filters
        index={index}
        environments={environments}
        filter={filter}
        change={change}
        text={text}
        setText={setText}
        copied={copiedOf(organization, project, filter, items)}
      />
      {items.length === 0 ? (
        <Empty title={t(filter.stale ? "flags.noneStale" : "flags.noMatch")}>
          <Button
            onClick={() => {
              setText("");
              change({});
            }}
          >
            {t("flags.clear")}
          </Button>
        </Empty>
      ) : (
        <FlagList
          organization={organization}
          project={project}
          environments={list.columns}
          whole={environments.length}
          index={index}
          items={items}
          filter={filter}
          sort={(sort) => change({ ...filter, sort })}
          comfortable={settings?.density === "comfortable"}
          selection={selection}
          archive={archive}
        />
      )}
      <Suspense>
        {selection.selected.length > 0 && (
          <BulkBar
            organization={organization}
            project={project}
            environments={environments}
            index={index}
            selection={selection}
            archived={archived}
            run={(command) => run(selection.selected, command)}
          />
        )}
      </Suspense>
    </>
  );
}
