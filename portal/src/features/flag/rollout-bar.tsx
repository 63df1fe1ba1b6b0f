import { type KeyboardEvent, type PointerEvent, useRef } from "react";
import { useTranslation } from "react-i18next";
import { ShareBar } from "@/components/variation";
import { useFormat } from "@/lib/format";
import { type Flag, type Serving, labelOf } from "@/lib/model/flag";
import { merged, shareOf, withShare } from "@/lib/model/rollout";
import classes from "./flag.module.css";

interface Props {
  flag: Flag;
  serving: Serving;
  change: (serving: Serving) => void;
}

/** The shares as a bar; between two of them a border that can be dragged, or moved by arrows. */
export function RolloutBar({ flag, serving, change }: Props) {
  const { t } = useTranslation();
  const { share: percent } = useFormat();
  const bar = useRef<HTMLDivElement>(null);
  const ids = flag.variations.map((it) => it.id);
  const parts = merged(serving);
  const place = (id: string) => ids.indexOf(id);
  const name = (id: string) => labelOf(flag.variations[place(id)]);
  const shares = parts.map(([id, share]) => ({ place: place(id), share, label: name(id) }));
  const [first] = parts;
  // More than one border is moved by the numbers.
  const draggable = first !== undefined && ids.length === 2;
  const share = first ? shareOf(serving, first[0]) : 0;
  const set = (next: number) => {
    if (first) change(withShare(serving, first[0], Math.round(next * 100) / 100, ids));
  };

  function drag(event: PointerEvent<HTMLElement>) {
    if (!event.currentTarget.hasPointerCapture(event.pointerId) || !bar.current) return;
    const { left, width } = bar.current.getBoundingClientRect();
    set((event.clientX - left) / width);
  }

  function key(event: KeyboardEvent) {
    const steps: Record<string, number> = {
      ArrowLeft: -1,
      ArrowDown: -1,
      ArrowRight: 1,
      ArrowUp: 1,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    set(share + (step * (event.shiftKey ? 10 : 1)) / 100);
  }

  return (
    <div className={classes.bar} ref={bar}>
      <ShareBar shares={shares} tall />
      {draggable && (
        <span
          role="slider"
          tabIndex={0}
          className={classes.handle}
          style={{ left: `${share * 100}%` }}
          aria-label={t("flag.shareOf", { variation: name(first[0]) })}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(share * 100)}
          aria-valuetext={percent(share)}
          onKeyDown={key}
          onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
          onPointerMove={drag}
        />
      )}
    </div>
  );
}
