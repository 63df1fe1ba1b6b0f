import { useEffect, useEffectEvent } from "react";

/** Single letters that do something on this page, where nothing is being typed. */
export function useShortcuts(allowed: boolean, keys: Record<string, () => void>): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const { target } = event;
    const typing = target instanceof Element && target.matches("input, textarea, select");
    const modified = event.metaKey || event.ctrlKey || event.altKey;
    if (!allowed || typing || modified || event.isComposing || event.defaultPrevented) return;
    if (document.querySelector("[role=dialog]")) return;
    const action = keys[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => press(event);
    addEventListener("keydown", listener);
    return () => removeEventListener("keydown", listener);
  }, []);
}
