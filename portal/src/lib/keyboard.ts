/** How keys are shown. */
const SIGNS: Record<string, string> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Enter: "↵",
  Escape: "Esc",
};
const apple = /^(Mac|iP)/.test(globalThis.navigator?.platform ?? "");

/** Keys as they stand on this machine's keyboard. */
export function keysShown(keys: string): string {
  const named = keys.replaceAll(/[A-Z]\w+/g, (it) => SIGNS[it] ?? it);
  return apple
    ? named.replace("Mod+", "⌘").replace("Alt+", "⌥").replace("Shift+", "⇧")
    : named.replace("Mod+", "Ctrl ").replace("Alt+", "Alt ").replace("Shift+", "⇧ ");
}

/** The keys that move a row of a list, for texts. */
export const ARROWS = { up: keysShown("Alt+ArrowUp"), down: keysShown("Alt+ArrowDown") };
