import { type KeyboardEvent, type PointerEvent, useRef } from "react";
import { useTranslation } from "react-i18next";
import { ShareBar } from "@/components/variation";
import { useFormat } from "@/lib/format";
import { type Flag, type Serving, labelOf } from "@/lib/model/flag";
import { shareOf, withBorder, withShare } from "@/lib/model/rollout";
import classes from "./serving.module.css";

interface Props {
  flag: Flag;
  serving: Serving;
  change: (serving: Serving) => void;
}

const STEPS: Record<string, number> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
};

/** The shares as a bar; between two of them a border that can be dragged, or moved by arrows. */
export function RolloutBar({ flag, serving, change }: Props) {
  const { t } = useTranslation();
  const { share: percent } = useFormat();
  const bar = useRef<HTMLDivElement>(null);
  const ids = flag.variations.map((it) => it.id);
  const { parts } = serving;
  const place = (id: string) => ids.indexOf(id);
  const name = (id: string) => labelOf(flag.variations[place(id)]);
  const shares = parts.map(({ id, rollout: [from, to] }) => ({
    place: place(id),
    share: to - from,
    label: name(id),
  }));
  // Where one has everything, its end is a border, too: what it gives away goes to another.
  const borders = parts.length === 1 ? parts : parts.slice(0, -1);

  function set(index: number, border: number) {
    const to = Math.round(Math.min(1, Math.max(0, border)) * 100) / 100;
    const only = parts.length === 1 ? parts[0] : undefined;
    change(only ? withShare(serving, only.id, to, ids) : withBorder(serving, index, to));
  }

  function drag(index: number, event: PointerEvent<HTMLElement>) {
    if (!event.currentTarget.hasPointerCapture(event.pointerId) || !bar.current) return;
    const { left, width } = bar.current.getBoundingClientRect();
    set(index, (event.clientX - left) / width);
  }

  function key(index: number, border: number, event: KeyboardEvent) {
    const step = STEPS[event.key];
    if (event.altKey) return;
    if (event.key === "Home" || event.key === "End") {
      event.preventDefault();
      return set(index, event.key === "Home" ? 0 : 1);
    }
    if (step === undefined) return;
    event.preventDefault();
    set(index, border + (step * (event.shiftKey ? 10 : 1)) / 100);
  }

  return (
    <div className={classes.bar} ref={bar}>
      <ShareBar shares={shares} tall />
      {borders.map(({ id, rollout: [, border] }, index) => (
        <span
          key={id}
          role="slider"
          tabIndex={0}
          className={classes.handle}
          style={{ left: `${border * 100}%` }}
          title={t("flag.dragBorder")}
          aria-label={t("flag.shareOf", { variation: name(id) })}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(shareOf(serving, id) * 100)}
          aria-valuetext={percent(shareOf(serving, id))}
          onKeyDown={(event) => key(index, border, event)}
          onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
          onPointerMove={(event) => drag(index, event)}
        />
      ))}
    </div>
  );
}
