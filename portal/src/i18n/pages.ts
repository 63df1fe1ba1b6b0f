/** Pages with words of their own, by the name of their file in `<language>/pages/`. */
import type session from "./en/pages/session.json";
import type settings from "./en/pages/settings.json";

export interface Pages {
  session: typeof session;
  settings: typeof settings;
}
