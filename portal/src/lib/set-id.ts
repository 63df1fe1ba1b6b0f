/**
 * The id of a change set or request whose fate is not known: sent again, also after a reload, it is
 * sent under the same id, and so done once.
 */
import { keepLocally, keptLocally } from "./theme";
import { uuid } from "./uuid";

const key = (organization: string) => `burgee-sent:${organization}`;

/** FNV-1a, with the length: whether it is the same text, not whether somebody made it so. */
export function printOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return `${text.length}.${(hash >>> 0).toString(16)}`;
}

/** The id to send this under: the one that it was sent under already, if nobody knows how that went. */
export function idFor(organization: string, body: unknown): string {
  const print = printOf(JSON.stringify(body));
  const [id, of] = keptLocally(key(organization))?.split(" ") ?? [];
  if (id !== undefined && of === print) return id;
  const made = uuid();
  keepLocally(key(organization), `${made} ${print}`);
  return made;
}

/** It is known now how it went. */
export function settleId(organization: string): void {
  keepLocally(key(organization), "");
}
