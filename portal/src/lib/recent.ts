/** Where one was, to come back by name; kept in this browser. */
import { keepLocally, keptLocally } from "./theme";

export interface Visited {
  path: string;
  title: string;
}

const KEY = "burgee-recent";
const MOST = 12;

/** A flag is one place, whichever of its environments was looked at; users and segments have theirs. */
function placeOf(path: string): string {
  const parts = path.split("/");
  return parts.slice(0, parts[3] === "flags" ? 5 : 6).join("/");
}

export function visited(): Visited[] {
  try {
    const kept: unknown = JSON.parse(keptLocally(KEY) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isVisited) : [];
  } catch {
    return [];
  }
}

const isVisited = (it: unknown): it is Visited =>
  typeof it === "object" &&
  it !== null &&
  typeof (it as Visited).path === "string" &&
  typeof (it as Visited).title === "string";

export function visit(now: Visited): void {
  const others = visited().filter((it) => placeOf(it.path) !== placeOf(now.path));
  keepLocally(KEY, JSON.stringify([now, ...others].slice(0, MOST)));
}
