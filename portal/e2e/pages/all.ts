import { changes } from "./changes.ts";
import { compare } from "./compare.ts";
import { delivery } from "./delivery.ts";
import { flag } from "./flag.ts";
import { flags } from "./flags.ts";
import { people } from "./people.ts";
import { projects } from "./projects.ts";
import { relays } from "./relays.ts";
import { segments } from "./segments.ts";
import { settings } from "./settings.ts";
import type { Shown } from "./shown.ts";
import { start } from "./start.ts";
import { users } from "./users.ts";
import { why } from "./why.ts";

export const PAGES: Shown[] = [
  ...flags,
  ...flag,
  ...changes,
  ...delivery,
  ...projects,
  ...start,
  ...segments,
  ...why,
  ...users,
  ...settings,
  ...people,
  ...relays,
  ...compare,
];

/** The pages that most of the time is spent on: looked at in every language. */
const MAIN = [
  "flags",
  "flag-rules",
  "why-rules",
  "changes",
  "change-request",
  "segment",
  "users",
  "compare",
  "audit",
  "people-members",
];
export const MAIN_PAGES = PAGES.filter((it) => MAIN.includes(it.name));

/** Those where many words are in little room, besides. */
const CROWDED = [
  "flag-new",
  "changes-schedule",
  "environments",
  "environment-rules",
  "start",
  "user",
  "users-upload",
  "settings-invite",
  "settings-security",
  "people-policy",
];
export const CROWDED_PAGES = PAGES.filter((it) => CROWDED.includes(it.name));
