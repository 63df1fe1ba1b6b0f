/** What was done a moment ago, for pages that show what it was done to. */
import type { Schemas } from "./api/client";
import { store } from "./store";

export type Change = Schemas["ChangeEvent"];

/** The newest change in the organization that is looked at, as soon as it is heard of. */
export const newestChange = store<Change | undefined>(undefined);

/** So many changes are remembered. */
const MOST = 50;

const heard: string[] = [];

/** The stream told of a change, and what it made old was asked for again. */
export function hear({ id }: Change): void {
  heard.push(id);
  if (heard.length > MOST) heard.shift();
}

/** Whether that is so: the answer of whoever made it can come later. */
export const wasHeard = (id: string): boolean => heard.includes(id);

/** Whether a change was about a flag of a project. */
export const aboutFlag = ({ places }: Change, project: string, flag: string): boolean =>
  places.some((it) => it.project === project && (it.more || it.flags.includes(flag)));

/** Whether somebody else made it; what one does in another tab is one's own. */
export const byAnother = ({ actor, actorKind }: Change, me: string | undefined): boolean =>
  actorKind !== "member" || actor !== me;
