/** Pages with words of their own, by the name of their file in `<language>/pages/`. */
import type session from "./en/pages/session.json";

export interface Pages {
  session: typeof session;
}
