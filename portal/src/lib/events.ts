/**
 * What happens, as it happens: one stream an organization. Read by hand, since `EventSource` sends
 * no header, and a session names its organization in one.
 */
import type { QueryClient } from "@tanstack/react-query";
import { hear, newestChange } from "./live";
import { store } from "./store";
import type { Schemas } from "./api/client";

/** Since when nothing was heard from the server; `undefined` while it is there. */
export const silentSince = store<number | undefined>(undefined);

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

interface Message {
  event: string;
  id: string | undefined;
  data: string;
}

/**
 * Listens until the returned function is called, and keeps what is shown up to date: of what
 * happened after `since`, the history's length when the page was asked for, however long the stream
 * takes to begin.
 */
export function listen(
  organization: string,
  queries: QueryClient,
  since: number | undefined,
): () => void {
  const stop = new AbortController();
  void run(organization, queries, since, stop.signal);
  return () => stop.abort();
}

async function run(
  organization: string,
  queries: QueryClient,
  since: number | undefined,
  signal: AbortSignal,
) {
  let last = since === undefined ? undefined : String(since);
  let wait = FIRST_WAIT_MS;
  while (!signal.aborted) {
    try {
      const headers: Record<string, string> = { "Burgee-Organization": organization };
      if (last !== undefined) headers["Last-Event-ID"] = last;
      const response = await fetch("/api/v1/events", { headers, signal });
      if (response.ok && response.body) {
        silentSince.set(undefined);
        for await (const message of messages(response.body)) {
          wait = FIRST_WAIT_MS;
          last = message.id ?? last;
          take(organization, queries, message);
        }
      }
      // Ended by the server, or refused: it is there all the same.
      if (response.status >= 500) silentSince.set(silentSince.get() ?? Date.now());
    } catch {
      if (signal.aborted) return;
      silentSince.set(silentSince.get() ?? Date.now());
    }
    await later(wait, signal);
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  }
}

function later(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    const now = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener("abort", now, { once: true });
    globalThis.addEventListener("online", now, { once: true });
  });
}

async function* messages(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<Message> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) yield parsed(block);
  }
}

/** One message of a stream of server-sent events. */
export function parsed(block: string): Message {
  const message: Message = { event: "message", id: undefined, data: "" };
  for (const line of block.split("\n")) {
    const [, field, text = ""] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (field === "event") message.event = text;
    if (field === "id") message.id = text;
    if (field === "data") message.data += text;
  }
  return message;
}

const PEOPLE = [
  "organization",
  "members",
  "invitations",
  "groups",
  "policies",
  "tokens",
  "relayKeys",
  "relayAgents",
  "signIn",
];

const isAbout = (
  of: Schemas["DeliveryView"] | undefined,
  { project, environment }: Schemas["DeliveryMoved"],
): boolean =>
  of?.environments.some((it) => it.project === project && it.environment === environment) ?? false;

function take(organization: string, queries: QueryClient, { event, data }: Message) {
  const again = (...queryKey: unknown[]) => void queries.invalidateQueries({ queryKey });
  if (event === "reset" || event === "permissions") {
    void queries.invalidateQueries();
    return;
  }
  if (event === "inbox") {
    queries.setQueryData(["inbox", organization], JSON.parse(data) as Schemas["Inbox"]);
    // Somebody reviewed, revised or withdrew: what is shown of requests may be old.
    for (const key of ["requests", "request", "schedule"]) again(key, organization);
    return;
  }
  if (event === "sdk" || event === "evaluation" || event === "user") {
    const { project, environment } = JSON.parse(data) as { project: string; environment: string };
    const old = { sdk: "sdkKeys", evaluation: "served", user: "users" }[event];
    again(old, organization, project, environment);
    return;
  }
  if (event === "delivery") {
    const moved = JSON.parse(data) as Schemas["DeliveryMoved"];
    // Told each second: what is on its way is waited for.
    const calmly = { cancelRefetch: false };
    const listed = ["connections", organization, moved.project, moved.environment];
    void queries.invalidateQueries({ queryKey: listed }, calmly);
    void queries.invalidateQueries(
      {
        queryKey: ["delivery", organization],
        predicate: ({ state }) => isAbout(state.data as Schemas["DeliveryView"], moved),
      },
      calmly,
    );
    return;
  }
  if (event !== "change") return;
  const change = JSON.parse(data) as Schemas["ChangeEvent"];
  // Before anything is asked for again: pages keep what somebody is at as it is.
  newestChange.set(change);
  const { places } = change;
  // What is done about people, and to the organization, has no place.
  if (places.length === 0) for (const key of PEOPLE) again(key, organization);
  again("changes", organization);
  again("auditNewest", organization);
  again("requests", organization);
  again("request", organization);
  again("schedule", organization);
  again("versions", organization);
  for (const { project, environment, flags, segments, more, settings } of places) {
    // By how many flags they are used is in the lists.
    if (segments.length > 0 || flags.length > 0 || more) again("segments", organization);
    if (segments.length > 0 || more) {
      again("segment", organization, project ?? "", environment ?? "");
    }
    if (project == null) {
      // A segment that all projects share.
      again("evaluate", organization);
      continue;
    }
    again("evaluate", organization, project);
    again("flagIndex", organization, project);
    again("audience", organization, project);
    again("prerequisites", organization, project);
    again("switched", organization, project);
    again("comparison", organization, project);
    if (more) again("flag", organization, project);
    for (const flag of flags) again("flag", organization, project, flag);
    if (!settings) continue;
    again("environments", organization, project);
    again("environment", organization, project);
    again("rules", organization, project);
    again("sdkKeys", organization, project);
    again("projects", organization);
  }
  again("review", organization);
  hear(change);
}
