import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { CopyAs } from "@/components/copy-as";
import { EnvironmentName } from "@/components/environment";
import { Picker } from "@/components/picker";
import { Sideways } from "@/components/sideways";
import type { Schemas } from "@/lib/api/client";
import { tagsOf } from "@/lib/filter";
import { useFormat } from "@/lib/format";
import { type Bulk, MOST } from "./bulk";
import classes from "./bulk-bar.module.css";
import { DeleteFlags } from "./delete";
import type { Selection } from "./selection";

interface Props {
  organization: string;
  project: string;
  environments: Schemas["EnvironmentView"][];
  index: Schemas["FlagIndex"];
  selection: Selection;
  archived: boolean;
  run: (command: Bulk) => void;
}

type Open = { anchor: HTMLElement; what: "turnOn" | "turnOff" | "tags" };

/** What can be done with all flags that are selected. All of it waits for review. */
export function BulkBar(props: Props) {
  const { organization, project, environments, index, selection, archived, run } = props;
  const { t } = useTranslation();
  const { number } = useFormat();
  const [open, setOpen] = useState<Open>();
  const [deleting, setDeleting] = useState(false);
  const { selected } = selection;
  const count = selected.length;
  const keys = selected.map((it) => it.key);
  const lacking = count > MOST ? t("list.tooMany", { most: number(MOST) }) : undefined;
  const button = (what: Open["what"], words: string) => (
    <Button
      small
      aria-haspopup="dialog"
      lacking={lacking}
      onClick={({ currentTarget }) => setOpen({ what, anchor: currentTarget })}
    >
      {words}
    </Button>
  );
  return (
    <Sideways className={classes.bar} role="toolbar" aria-label={t("list.bulk")}>
      <strong role="status">{t("list.selected", { count, number: number(count) })}</strong>
      {!archived && (
        <>
          {button("turnOn", t("list.turnOn"))}
          {button("turnOff", t("list.turnOff"))}
          {button("tags", t("list.tags"))}
          <Button small title="e" lacking={lacking} onClick={() => run({ kind: "archiveFlag" })}>
            {t("flags.archive")}
          </Button>
        </>
      )}
      {archived && (
        <>
          <Button small lacking={lacking} onClick={() => run({ kind: "restoreFlag" })}>
            {t("list.restore")}
          </Button>
          <Button small look="danger" lacking={lacking} onClick={() => setDeleting(true)}>
            {t("list.delete")}
          </Button>
        </>
      )}
      <CopyAs of={{ organization, flags: { project, keys } }} />
      <Button small look="quiet" title="Esc" onClick={selection.clear}>
        {t("list.clear")}
      </Button>
      <Suspense>
        {open?.what === "tags" && (
          <TagPicker {...props} anchor={open.anchor} close={() => setOpen(undefined)} />
        )}
        {open && open.what !== "tags" && (
          <Picker
            anchor={open.anchor}
            title={t(open.what === "turnOn" ? "list.turnOn" : "list.turnOff")}
            close={() => setOpen(undefined)}
            chosen={[]}
            choices={environments.map((it) => ({
              key: it.key,
              text: `${it.key} ${it.name}`,
              look: <EnvironmentName of={it} />,
            }))}
            choose={(environment) =>
              run({ kind: open.what === "turnOn" ? "turnOn" : "turnOff", environment })
            }
          />
        )}
      </Suspense>
      {deleting && (
        <DeleteFlags
          organization={organization}
          project={project}
          versions={index.versions}
          keys={keys}
          close={() => setDeleting(false)}
        />
      )}
    </Sideways>
  );
}

/** What all have is chosen; what some have says how many. */
function TagPicker({
  index,
  selection,
  run,
  anchor,
  close,
}: Props & { anchor: HTMLElement; close: () => void }) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const { selected } = selection;
  // What was pressed here waits for review: the list itself does not have it yet.
  const [pressed, setPressed] = useState<Record<string, boolean>>({});
  const having = (tag: string) => selected.filter((it) => it.tags.includes(tag)).length;
  const all = (tag: string) => pressed[tag] ?? having(tag) === selected.length;
  const tags = [...new Set([...tagsOf(index), ...Object.keys(pressed)])];
  const choice = (tag: string) => {
    const some = having(tag);
    const part = pressed[tag] === undefined && some > 0 && some < selected.length;
    return { key: tag, text: tag, more: part ? number(some) : undefined };
  };
  return (
    <Picker
      anchor={anchor}
      title={t("list.tags")}
      close={close}
      multiple
      chosen={tags.filter(all)}
      choices={tags.map(choice)}
      create={(typed) =>
        /[,;*]/.test(typed) ? undefined : { key: typed, text: t("list.newTag", { tag: typed }) }
      }
      choose={(tag) => {
        run({ kind: all(tag) ? "untag" : "tag", tag });
        setPressed((it) => ({ ...it, [tag]: !all(tag) }));
      }}
    />
  );
}
