import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { type Draft, without } from "@/lib/draft/draft";
import { changeDraft } from "@/lib/draft/store";
import { stampOf } from "@/lib/stamp";
import { EditLine } from "./edit-line";
import classes from "./review.module.css";

/** Of more edits than this only those in view are lines of the page. */
const MANY = 40;
const LINE_PX = 36;

/** Each edit as a sentence, to be taken out. */
export function Edits({ organization, draft }: { organization: string; draft: Draft }) {
  return draft.commands.length > MANY ? (
    <ManyEdits organization={organization} draft={draft} />
  ) : (
    <ul className={classes.edits}>
      {draft.commands.map((edit, index) => (
        <li key={stampOf(edit)}>
          <EditLine organization={organization} edit={edit} />
          <Remove index={index} />
        </li>
      ))}
    </ul>
  );
}

function ManyEdits({ organization, draft }: { organization: string; draft: Draft }) {
  const { t } = useTranslation();
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: draft.commands.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    overscan: 6,
  });
  return (
    <div
      ref={scroller}
      className={classes.many}
      role="region"
      // Reached with the keys, since it scrolls by itself.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      aria-label={t("review.edits")}
    >
      <ul className={classes.edits} style={{ height: rows.getTotalSize(), position: "relative" }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const edit = draft.commands[index];
          return (
            edit && (
              <li
                key={stampOf(edit)}
                ref={rows.measureElement}
                data-index={index}
                aria-setsize={draft.commands.length}
                aria-posinset={index + 1}
                style={{ position: "absolute", top: start, left: 0, right: 0 }}
              >
                <EditLine organization={organization} edit={edit} />
                <Remove index={index} />
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
}

function Remove({ index }: { index: number }) {
  const { t } = useTranslation();
  return (
    <Button
      small
      look="quiet"
      aria-label={t("review.remove", { number: index + 1 })}
      onClick={() => changeDraft((it) => without(it, index))}
    >
      ✕
    </Button>
  );
}
