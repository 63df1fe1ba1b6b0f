/** First programs: what is installed, and a whole file that asks for the first flag and says what it gets. */

export interface Program {
  id: string;
  /** A name of its own, in every language. */
  name: string;
  /** Which kind of SDK key: `client` for what runs at people's, `server` for machines of one's own. */
  kind: "client" | "server";
  install: string;
  /** Where the program is saved. */
  file: string;
  /** How it is started. */
  run: string;
  code: (place: Where) => string;
}

export interface Where {
  key: string;
  flag: string;
  /** The server as programs reach it: `http://…`, and the same for streaming: `ws://…`. */
  http: string;
  ws: string;
}

/** The addresses of the server that shows this page: SDKs are served at the same. */
export function addresses(origin: string): { http: string; ws: string } {
  return { http: origin, ws: origin.replace(/^http/, "ws") };
}
