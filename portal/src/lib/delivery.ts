/** What is to be said of how far a change came, and of a connection. */
import type { Schemas } from "./api/client";

export type EnvironmentDelivery = Schemas["EnvironmentDelivery"];
export type NodeDelivery = Schemas["NodeDelivery"];
export type Connection = Schemas["ConnectionView"];

/** An answer, with the nodes that were in one before and are not heard of any more. */
export type Delivered = Schemas["DeliveryView"] & {
  /** By `project/environment`. */
  gone: Record<string, NodeDelivery[]>;
};

export const scopeOf = ({ project, environment }: EnvironmentDelivery): string =>
  `${project}/${environment}`;

/** Nobody is left out unsaid: who was counted while one looked, and is no more. */
export function withGone(before: Delivered | undefined, now: Schemas["DeliveryView"]): Delivered {
  const gone = now.environments.map((it): [string, NodeDelivery[]] => {
    const scope = scopeOf(it);
    const was = before?.environments.find((other) => scopeOf(other) === scope)?.nodes ?? [];
    const known = [...(before?.gone[scope] ?? []), ...was.filter((node) => counts(node) > 0)];
    // One that was started again is another process with the same name.
    const back = new Set(it.nodes.flatMap(({ node, name }) => [node, name]));
    return [scope, known.filter(({ node, name }) => !back.has(node) && !back.has(name))];
  });
  return { ...now, gone: Object.fromEntries(gone.filter(([, nodes]) => nodes.length > 0)) };
}

const counts = ({ figures }: NodeDelivery) => figures.connections;

/**
 * How far it is: nobody is there; on its way; everybody was sent it, and has not said anything yet;
 * some have not, long after; some were not even sent it, long after; everybody has it.
 */
export type Stage = "nobody" | "sending" | "confirming" | "unconfirmed" | "behind" | "all";

/** SDKs say something every 10 to 18 s: so long after the commit most have. */
export const PATIENCE_MS = 30_000;

export function stageOf(total: Schemas["DeliveryFigures"], waited: boolean): Stage {
  const { connections, written, received } = total;
  if (connections === 0) return "nobody";
  if (received >= connections) return "all";
  if (written < connections) return waited ? "behind" : "sending";
  return waited ? "unconfirmed" : "confirming";
}

/** A part of the whole in percent; all of it only where it is. */
export function percentOf(part: number, whole: number): number {
  if (whole === 0) return 0;
  return part >= whole ? 100 : Math.min((part / whole) * 100, 99);
}

/** What several environments have together, for one line. */
export function together(environments: EnvironmentDelivery[]) {
  const sum = (of: (it: Schemas["DeliveryFigures"]) => number) =>
    environments.reduce((all, it) => all + of(it.total), 0);
  const last = environments.map((it) => it.total.writtenAfter?.max ?? 0);
  const most = environments.map((it) => it.total.writtenAfter?.p99 ?? 0);
  return {
    connections: sum((it) => it.connections),
    written: sum((it) => it.written),
    received: sum((it) => it.received),
    /** In ms; 0 where nobody waited. */
    slowest: Math.max(0, ...last),
    most: Math.max(0, ...most),
    waiting: sum((it) => it.writtenAfter?.count ?? 0),
  };
}

/** The newest version: somebody has it before one is told that there is one. */
export const newestOf = (version: number, items: Connection[]): number =>
  items.reduce((newest, it) => Math.max(newest, it.written ?? 0), version);

/** Where a connection is, seen from a version. */
export type Position =
  | { is: "upToDate" | "sent" | "stalled" | "answering" | "unknown" }
  | { is: "behind"; count: number };

/** One that never says what it is there for is closed after this. */
const ANSWERED_MS = 30_000;

export function positionOf(of: Connection, version: number, now: number): Position {
  const { written, received, stalled, since } = of;
  if (received != null && received >= version) return { is: "upToDate" };
  if (stalled) return { is: "stalled" };
  if (written == null) {
    return { is: now - Date.parse(since) < ANSWERED_MS ? "answering" : "unknown" };
  }
  return written >= version ? { is: "sent" } : { is: "behind", count: version - written };
}

/** By SDK on all nodes, the most first. */
export function bySdk(nodes: Schemas["NodeConnections"][]): Schemas["SdkCount"][] {
  const found = new Map<string, Schemas["SdkCount"]>();
  for (const it of nodes.flatMap((node) => node.sdks)) {
    const key = JSON.stringify([it.kind, it.sdk?.name, it.sdk?.version]);
    const known = found.get(key)?.connections ?? 0;
    found.set(key, { ...it, connections: known + it.connections });
  }
  return [...found.values()].toSorted((a, b) => b.connections - a.connections);
}
