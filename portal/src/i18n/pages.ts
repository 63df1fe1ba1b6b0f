/** Pages with words of their own, by the name of their file in `<language>/pages/`. */
import type account from "./en/pages/account.json";
import type acts from "./en/pages/acts.json";
import type audit from "./en/pages/audit.json";
import type changes from "./en/pages/changes.json";
import type compare from "./en/pages/compare.json";
import type copyAs from "./en/pages/copy-as.json";
import type keys from "./en/pages/keys.json";
import type list from "./en/pages/list.json";
import type home from "./en/pages/home.json";
import type palette from "./en/pages/palette.json";
import type review from "./en/pages/review.json";
import type segments from "./en/pages/segments.json";
import type flag from "./en/pages/flag.json";
import type quick from "./en/pages/quick.json";
import type rules from "./en/pages/rules.json";
import type people from "./en/pages/people.json";
import type picker from "./en/pages/picker.json";
import type session from "./en/pages/session.json";
import type settings from "./en/pages/settings.json";
import type users from "./en/pages/users.json";
import type why from "./en/pages/why.json";
import type start from "./en/pages/start.json";

export interface Pages {
  account: typeof account;
  acts: typeof acts;
  audit: typeof audit;
  changes: typeof changes;
  compare: typeof compare;
  "copy-as": typeof copyAs;
  keys: typeof keys;
  list: typeof list;
  home: typeof home;
  palette: typeof palette;
  review: typeof review;
  segments: typeof segments;
  flag: typeof flag;
  quick: typeof quick;
  rules: typeof rules;
  people: typeof people;
  picker: typeof picker;
  session: typeof session;
  settings: typeof settings;
  users: typeof users;
  why: typeof why;
  start: typeof start;
}
