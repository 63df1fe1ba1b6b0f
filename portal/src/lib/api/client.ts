/** The one way to the server. */
import { Refused, burgee, type Client } from "@burgee/api-client";
import { store } from "@/lib/store";

export { Refused };
export type { Command, Problem, Schemas } from "@burgee/api-client";

/**
 * Whether the session ended while somebody was at work: they sign in again on top of the page, so
 * that nothing of it is lost.
 */
export const sessionEnded = store(false);

/** Addresses whose 401 is an answer, and not the end of a session. */
const SIGNING_IN = ["/api/v1/session", "/api/v1/links/"];

const watched: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (response.status === 401) {
    const { pathname } = new URL(response.url);
    if (!SIGNING_IN.some((it) => pathname.startsWith(it))) sessionEnded.set(true);
  }
  return response;
};

const clients = new Map<string, Client>();

/** The client of an organization; the empty text where none is meant. */
export function api(organization: string): Client {
  const known = clients.get(organization);
  if (known) return known;
  const made = burgee({
    baseUrl: globalThis.location?.origin ?? "http://localhost",
    fetch: watched,
    ...(organization === "" ? {} : { organization }),
  });
  clients.set(organization, made);
  return made;
}

/** The data of an answer that has some. */
export function dataOf<T>(answer: { data?: T }): T {
  if (answer.data === undefined) throw new Error("the answer is empty");
  return answer.data;
}

/** What is edited under its address, with the tag by which an edit says what it is an edit of. */
export interface Tagged<T> {
  it: T;
  tag: string;
}

export function taggedOf<T>(answer: { data?: T; response: Response }): Tagged<T> {
  return { it: dataOf(answer), tag: answer.response.headers.get("etag") ?? "" };
}

/** The header of an edit: refused where somebody else was quicker. */
export const ifMatch = (tag: string): Record<string, string> =>
  tag === "" ? {} : { "If-Match": tag };
