/** One command for many flags, as the edits that it comes to. */
import type { Schemas } from "@/lib/api/client";
import type { Draft } from "@/lib/draft/draft";
import { type FlagEdit, isFlagEdit } from "@/lib/draft/edit";

type Item = Schemas["IndexedFlagView"];

export type Bulk =
  | { kind: "turnOn" | "turnOff"; environment: string }
  | { kind: "archiveFlag" | "restoreFlag" }
  | { kind: "tag" | "untag"; tag: string };

/** As many commands as a change set takes. */
export const MOST = 500;

/** The edits; flags that are so already, and that nobody edited, need none. */
export function bulkEdits(
  project: string,
  index: Schemas["FlagIndex"],
  items: Item[],
  command: Bulk,
  draft: Draft,
): Draft {
  const mine = draft.commands.filter(isFlagEdit).filter((it) => it.project === project);
  const edited = new Set(mine.map((it) => it.flag));
  const commands = items.flatMap((item): FlagEdit[] => {
    const of = { project, flag: item.key };
    const live = item.state === "live";
    switch (command.kind) {
      case "turnOn":
      case "turnOff": {
        const { kind, environment } = command;
        const at = index.environments.indexOf(environment);
        const on = item.cells[at]?.on ?? false;
        const so = at >= 0 && on === (kind === "turnOn") && !edited.has(item.key);
        return so || !live ? [] : [{ kind, ...of, environment }];
      }
      case "archiveFlag":
      case "restoreFlag": {
        const so = live === (command.kind === "restoreFlag");
        return so ? [] : [{ kind: command.kind, ...of }];
      }
      case "tag":
      case "untag": {
        const now = tagsNow(mine, item);
        const adds = command.kind === "tag";
        if (!live || now.includes(command.tag) === adds) return [];
        const others = now.filter((it) => it !== command.tag);
        return [{ kind: "setFlagTags", ...of, tags: adds ? [...now, command.tag] : others }];
      }
    }
  });
  return { base: index.versions, commands };
}

/** A flag's tags, as they are edited. */
export function tagsNow(edits: FlagEdit[], item: Item): string[] {
  const edit = edits.findLast((it) => it.kind === "setFlagTags" && it.flag === item.key);
  return edit?.kind === "setFlagTags" ? edit.tags : item.tags;
}
