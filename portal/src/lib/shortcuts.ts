/** Keys that do something: each page says its own, in words, and `?` shows them. */
import { useEffect, useRef } from "react";
import { store } from "./store";

export interface Shortcut {
  /** `c`, one after the other `g f`, or several that mean the same `["j", "ArrowDown"]`. */
  keys: string | string[];
  /** What they do, as it is shown. */
  words: string;
  /** What is done; absent where the page itself listens, and it is only to be known. */
  run?: () => void;
}

/** What a page says: its shortcuts, or how to ask for them where their words come later. */
type Said = Shortcut[] | (() => Shortcut[]);

interface Entry {
  /** On every page, and not on this one alone. */
  everywhere: boolean;
  now: () => Shortcut[];
}

/** How long the second key of two may take. */
const SECOND_KEY_MS = 1_200;

const entries = new Set<Entry>();

/** Whether the list of shortcuts is looked at. */
export const shortcutsShown = store(false);

/** What keys do on the page that is there now, and on every page. */
export function shortcutsNow(): { page: Shortcut[]; everywhere: Shortcut[] } {
  const all = [...entries];
  return {
    page: all.filter((it) => !it.everywhere).flatMap((it) => it.now()),
    everywhere: all.filter((it) => it.everywhere).flatMap((it) => it.now()),
  };
}

/** Says what keys do while this component is there. */
export function useShortcuts(said: Said, everywhere = false): void {
  const latest = useRef(said);
  useEffect(() => {
    latest.current = said;
  });
  useEffect(() => {
    const read = () => (typeof latest.current === "function" ? latest.current() : latest.current);
    const entry: Entry = { everywhere, now: read };
    entries.add(entry);
    return () => void entries.delete(entry);
  }, [everywhere]);
}

export const keysOf = ({ keys }: Shortcut): string[] => (typeof keys === "string" ? [keys] : keys);

/** What a key means after one that began something: an action, the beginning of one, or nothing. */
export function meant(
  shortcuts: Shortcut[],
  begun: string | undefined,
  key: string,
): { run?: (() => void) | undefined; begun?: string } {
  const acting = shortcuts.filter((it) => it.run !== undefined);
  const find = (keys: string) => acting.find((it) => keysOf(it).includes(keys))?.run;
  const second = begun === undefined ? undefined : find(`${begun} ${key}`);
  const run = second ?? find(key);
  if (run) return { run };
  const begins = acting.some((it) => keysOf(it).some((keys) => keys.startsWith(`${key} `)));
  return begins ? { begun: key } : {};
}

const TYPED_INTO =
  "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable=true], " +
  "[role=menu], [role=listbox], [role=combobox]";

/** Whether letters go into what has the focus. */
export const typing = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest(TYPED_INTO) !== null;

/** Listens for single letters, where somebody wants them. Those of the page come first. */
export function useShortcutKeys(allowed: boolean): void {
  useEffect(() => {
    if (!allowed) return undefined;
    let begun: { key: string; at: number } | undefined;
    function press(event: KeyboardEvent) {
      if (event.metaKey || event.ctrlKey || event.altKey) return;
      if (event.isComposing || event.defaultPrevented || event.repeat) return;
      if (typing(event.target) || document.querySelector("[role=dialog]")) return;
      const first = begun && event.timeStamp - begun.at < SECOND_KEY_MS ? begun.key : undefined;
      const { page, everywhere } = shortcutsNow();
      const found = meant([...page, ...everywhere], first, event.key);
      begun = found.begun === undefined ? undefined : { key: found.begun, at: event.timeStamp };
      if (found.run) {
        event.preventDefault();
        found.run();
      }
    }
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [allowed]);
}
