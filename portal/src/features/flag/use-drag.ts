import { type PointerEvent, useRef, useState } from "react";

/** Rules that are dragged to another place of their list. */
export function useDrag(count: number, move: (from: number, to: number) => void) {
  const list = useRef<HTMLOListElement>(null);
  const [drag, setDrag] = useState<{ from: number; gap: number }>();

  function gapAt(y: number): number {
    const rows = [...(list.current?.querySelectorAll<HTMLElement>("[data-rule]") ?? [])];
    const below = rows.findIndex((row) => {
      const { top, height } = row.getBoundingClientRect();
      return y < top + height / 2;
    });
    return below < 0 ? count : below;
  }

  function grab(from: number, event: PointerEvent<HTMLElement>) {
    if (event.button !== 0) return;
    const grip = event.currentTarget;
    grip.setPointerCapture(event.pointerId);
    const began = event.clientY;
    let gap = from;
    let going = false;
    const over = (now: globalThis.PointerEvent) => {
      // A press that trembles is no drag.
      going ||= Math.abs(now.clientY - began) > 4;
      if (!going) return;
      gap = gapAt(now.clientY);
      setDrag({ from, gap });
    };
    const end = (now: globalThis.PointerEvent) => {
      grip.removeEventListener("pointermove", over);
      grip.removeEventListener("pointerup", end);
      grip.removeEventListener("pointercancel", end);
      setDrag(undefined);
      const to = gap > from ? gap - 1 : gap;
      if (going && now.type === "pointerup" && to !== from) move(from, to);
    };
    grip.addEventListener("pointermove", over);
    grip.addEventListener("pointerup", end);
    grip.addEventListener("pointercancel", end);
  }

  /** Where a line shows that it would be put. */
  const gap = drag && drag.gap !== drag.from && drag.gap !== drag.from + 1 ? drag.gap : undefined;
  return { list, grab, gap, dragged: drag?.from };
}
