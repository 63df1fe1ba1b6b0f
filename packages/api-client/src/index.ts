/**
 * A typed client of Burgee's management API. The types are generated from the API's description
 * (`schema.d.ts`, by `npm run generate`); this file is all that is written by hand, so that what
 * generates them can be replaced.
 */
import createClient, { type Client as Fetching, type Middleware } from "openapi-fetch";
import type { components, paths } from "./schema";

/** Shapes of the API by name: `Schemas["FlagDetail"]`. */
export type Schemas = components["schemas"];

/** What went wrong, as the server says it. */
export type Problem = Schemas["Problem"];

/** One edit of a flag or a segment, by its `kind`. */
export type Command = Schemas["Command"];

/** `client.GET("/api/v1/projects/{project}", { params: { path: { project } } })` and the like. */
export type Client = Fetching<paths>;

/** Whose calls they are, and where to. */
export interface Options {
  /** The server's address without a path; that of the page where absent. */
  baseUrl?: string;
  /** An access token; the session's cookie where absent. */
  token?: string;
  /** The organization's key, where a session has several. */
  organization?: string;
  /** In place of the global `fetch`. */
  fetch?: typeof fetch;
}

/** A refusal: what `client` throws where an answer is not one of success. */
export class Refused extends Error {
  constructor(
    /** The answer's status. */
    readonly status: number,
    /** What the server said, where it was the server who answered. */
    readonly problem: Problem | undefined,
    /** After how many seconds to try again, where that may help. */
    readonly retryAfter: number | undefined,
  ) {
    super(problem?.detail ?? `the server answered ${status}`);
    this.name = "Refused";
  }
}

/** A client. Its calls resolve to `{ data }`, and reject with `Refused`. */
export function burgee(options: Options = {}): Client {
  const { baseUrl, token, organization, fetch } = options;
  const client = createClient<paths>({
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(fetch === undefined ? {} : { fetch }),
    headers: {
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(organization === undefined ? {} : { "Burgee-Organization": organization }),
    },
  });
  client.use(refusals);
  return client;
}

const refusals: Middleware = {
  async onResponse({ response }) {
    if (response.ok || response.status === 304) return;
    const kind = response.headers.get("content-type") ?? "";
    const problem = kind.startsWith("application/problem+json")
      ? ((await response.clone().json()) as Problem)
      : undefined;
    const wait = Number(response.headers.get("retry-after") ?? Number.NaN);
    throw new Refused(response.status, problem, Number.isNaN(wait) ? undefined : wait);
  },
};
