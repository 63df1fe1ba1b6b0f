import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "./button";
import classes from "./key-list.module.css";

interface Props {
  label: string;
  keys: readonly string[];
  lacking: string | undefined;
  remove: (key: string) => void;
}

const ROW_PX = 32;
const ROW_NARROW_PX = 44;
/** So many are seen at a time. */
const SEEN = 8;

/** The keys that are in view, however many there are. */
export function KeyRows({ label, keys, lacking, remove }: Props) {
  const { t } = useTranslation();
  const scroller = useRef<HTMLDivElement>(null);
  const removed = useRef<number>(undefined);
  const height = matchMedia("(max-width: 600px)").matches ? ROW_NARROW_PX : ROW_PX;
  const rows = useVirtualizer({
    count: keys.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 4,
  });
  useEffect(() => {
    if (removed.current === undefined) return;
    // Where one was: the next one stands there now.
    const at = Math.min(removed.current, keys.length - 1);
    removed.current = undefined;
    scroller.current?.querySelector<HTMLElement>(`[data-index="${at}"] button`)?.focus();
  }, [keys]);
  return (
    <div
      ref={scroller}
      className={classes.rows}
      style={{ height: Math.min(keys.length, SEEN) * height }}
    >
      <ul aria-label={label} style={{ height: rows.getTotalSize(), position: "relative" }}>
        {rows.getVirtualItems().map(({ index, start, size }) => {
          const key = keys[index] ?? "";
          return (
            <li
              key={key}
              data-index={index}
              aria-setsize={keys.length}
              aria-posinset={index + 1}
              className={classes.row}
              style={{ top: start, height: size }}
            >
              <code className={classes.cut} title={key}>
                {key}
              </code>
              <Button
                small
                look="quiet"
                lacking={lacking}
                aria-label={t("action.remove", { value: key })}
                onClick={() => {
                  removed.current = index;
                  remove(key);
                }}
              >
                ✕
              </Button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
