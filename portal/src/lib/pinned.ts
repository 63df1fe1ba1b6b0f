/** Which environments a project's lists show, as far as this browser knows. */
import { keepLocally, keptLocally } from "./theme";
import type { Schemas } from "./api/client";

/** As many as fit beside a name. */
export const MOST_PINNED = 4;

const key = (organization: string, project: string) => `burgee-shown:${organization}/${project}`;

/** What was shown last: so that the list is asked for together with everything else. */
export function shownEnvironments(organization: string, project: string): string[] | undefined {
  return keptLocally(key(organization, project))?.split(",").filter(Boolean);
}

/** What is to be shown: what the member pinned, else the first. */
export function environmentsToShow(
  organization: string,
  project: string,
  all: Schemas["EnvironmentView"][],
  settings: Schemas["MemberSettings"] | undefined,
): string[] {
  const keys = all.map((it) => it.key);
  const pinned = (settings?.pinnedEnvironments?.[project] ?? []).filter((it) => keys.includes(it));
  const shown = (pinned.length > 0 ? pinned : keys).slice(0, MOST_PINNED);
  keepLocally(key(organization, project), shown.join(","));
  return shown;
}

/** What a list asks for: its columns, and the environments that its filter is about. */
export function asked(shown: string[], { on, off }: { on?: string; off?: string }): string[] {
  const more = [on, off].filter((it) => it !== undefined && !shown.includes(it));
  return [...new Set([...shown, ...(more as string[])])];
}

const LAST = "burgee-last";

/** Where somebody was last: `/` leads there. */
export const lastPlace = (): { organization: string; project: string } | undefined => {
  const [organization, project] = keptLocally(LAST)?.split("/") ?? [];
  return organization && project ? { organization, project } : undefined;
};

export function rememberPlace(organization: string, project: string): void {
  keepLocally(LAST, `${organization}/${project}`);
}
