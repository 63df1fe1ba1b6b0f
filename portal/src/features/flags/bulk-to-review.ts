import type { Schemas } from "@/lib/api/client";
import { withCommands } from "@/lib/draft/draft";
import { changeDraft, draftNow } from "@/lib/draft/store";
import { type Bulk, MOST, bulkEdits } from "./bulk";

type Item = Schemas["IndexedFlagView"];

/** Puts one command for many flags to the edits that wait; says how many flags it is about. */
export function bulkToReview(
  project: string,
  index: Schemas["FlagIndex"],
  items: Item[],
  command: Bulk,
): number {
  const more = bulkEdits(project, index, items, command, draftNow());
  const count = more.commands.length;
  if (count > 0 && count <= MOST) changeDraft((draft) => withCommands(draft, more));
  return count;
}
