import { type RefObject, useEffect } from "react";
import { aboutFlag, newestChange } from "@/lib/live";
import { typing } from "@/lib/shortcuts";

/** So long after a change what it moves is its doing. */
const FOLLOWS_MS = 3_000;

/** Keeps what is under the pointer where it is, when somebody's change makes parts above longer. */
export function useStill(
  root: RefObject<HTMLElement | null>,
  project: string,
  flag: string,
  there: boolean,
) {
  useEffect(() => {
    const element = root.current;
    if (!there || !element) return undefined;
    const scroller = scrollerOf(element);
    let anchor: Element | undefined;
    let top = 0;
    let until = 0;
    const note = () => {
      if (anchor) top = anchor.getBoundingClientRect().top;
    };
    const stop = newestChange.subscribe(() => {
      const change = newestChange.get();
      if (!change || !aboutFlag(change, project, flag)) return;
      const focused = document.activeElement;
      const field = focused && element.contains(focused) && typing(focused) ? focused : undefined;
      anchor = field ?? [...element.querySelectorAll(":hover")].at(-1);
      until = performance.now() + FOLLOWS_MS;
      note();
    });
    const watch = new ResizeObserver(() => {
      if (!anchor?.isConnected || performance.now() > until) return;
      scroller.scrollTop += anchor.getBoundingClientRect().top - top;
    });
    watch.observe(element);
    // Somebody scrolls on: where it stands then is its place.
    const scrolled = () => requestAnimationFrame(note);
    scroller.addEventListener("wheel", scrolled, { passive: true });
    return () => {
      stop();
      watch.disconnect();
      scroller.removeEventListener("wheel", scrolled);
    };
  }, [root, project, flag, there]);
}

function scrollerOf(element: HTMLElement): HTMLElement {
  for (let it = element.parentElement; it; it = it.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(it).overflowY)) return it;
  }
  return document.documentElement;
}
