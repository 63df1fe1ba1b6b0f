/** The theme and the language that were chosen in this browser. */
import { store } from "./store";

export type Theme = "light" | "dark" | "system";

const KEY = "burgee-theme";

function kept(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Keeps a choice in this browser, where it keeps anything. */
export function keepLocally(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // It holds for this visit.
  }
}

export const keptLocally = kept;

const chosen = kept(KEY);
export const theme = store<Theme>(chosen === "light" || chosen === "dark" ? chosen : "system");

export function chooseTheme(next: Theme): void {
  theme.set(next);
  keepLocally(KEY, next);
}
