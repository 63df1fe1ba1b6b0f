import { expect, it } from "vitest";
import {
  type Connection,
  type NodeDelivery,
  bySdk,
  newestOf,
  percentOf,
  positionOf,
  stageOf,
  withGone,
} from "./delivery";
import { duration } from "./duration";

const figures = (connections: number, written: number, received: number) => ({
  connections,
  written,
  received,
});

it("says of a change how far it is", () => {
  expect(stageOf(figures(0, 0, 0), true)).toBe("nobody");
  expect(stageOf(figures(3, 2, 0), false)).toBe("sending");
  expect(stageOf(figures(3, 3, 2), false)).toBe("confirming");
  expect(stageOf(figures(3, 3, 2), true)).toBe("unconfirmed");
  expect(stageOf(figures(3, 2, 2), true)).toBe("behind");
  expect(stageOf(figures(3, 3, 3), true)).toBe("all");
});

it("is not at a hundred before it is there", () => {
  expect(percentOf(2_313, 2_314)).toBe(99);
  expect(percentOf(2_314, 2_314)).toBe(100);
  expect(percentOf(0, 0)).toBe(0);
});

const node = (id: string, name: string, connections: number): NodeDelivery => ({
  node: id,
  name,
  kind: "server",
  isThis: false,
  figures: figures(connections, connections, connections),
  laggardCount: 0,
  laggards: [],
});

const delivery = (...nodes: NodeDelivery[]) => ({
  change: "c",
  committedAt: "",
  complete: true,
  environments: [
    {
      project: "web",
      environment: "prod",
      version: 7,
      complete: true,
      total: figures(1, 1, 1),
      nodes,
    },
  ],
});

it("keeps a node that is not heard of any more, until it is back under its name", () => {
  const first = withGone(undefined, delivery(node("1", "a", 5), node("2", "b", 7)));
  expect(first.gone).toEqual({});
  const second = withGone(first, delivery(node("1", "a", 12)));
  expect(second.gone["web/prod"]?.map((it) => it.name)).toEqual(["b"]);
  const third = withGone(second, delivery(node("1", "a", 12)));
  expect(third.gone["web/prod"]).toHaveLength(1);
  expect(withGone(third, delivery(node("1", "a", 5), node("3", "b", 7))).gone).toEqual({});
});

it("does not miss a node that nobody was connected to", () => {
  const first = withGone(undefined, delivery(node("1", "a", 5), node("2", "b", 0)));
  expect(withGone(first, delivery(node("1", "a", 5))).gone).toEqual({});
});

const at = Date.parse("2026-11-22T12:00:00Z");
const connection = (of: Partial<Connection>): Connection => ({
  kind: "server",
  since: "2026-11-22T11:00:00Z",
  stalled: false,
  ...of,
});

it("says where a connection is", () => {
  const of = (it: Partial<Connection>) => positionOf(connection(it), 7, at);
  expect(of({ written: 8, received: 7 })).toEqual({ is: "upToDate" });
  expect(of({ written: 7, received: 6 })).toEqual({ is: "sent" });
  expect(of({ written: 4, received: 4 })).toEqual({ is: "behind", count: 3 });
  expect(of({ written: 4, received: 4, stalled: true })).toEqual({ is: "stalled" });
  expect(of({})).toEqual({ is: "unknown" });
  expect(of({ since: "2026-11-22T11:59:50Z" })).toEqual({ is: "answering" });
});

it("takes the newest version that anybody has", () => {
  expect(newestOf(7, [connection({ written: 9 }), connection({})])).toBe(9);
  expect(newestOf(7, [])).toBe(7);
});

it("counts SDKs on all nodes together, the most first", () => {
  const go = { name: "go", version: "1" };
  const nodes = [
    { kind: "server", sdk: go, connections: 2 },
    { kind: "client", connections: 4 },
    { kind: "server", sdk: go, connections: 3 },
  ].map((it) => ({ ...node("1", "a", 0), connections: 0, sdks: [it] }));
  expect(bySdk(nodes).map((it) => [it.sdk?.name, it.connections])).toEqual([
    ["go", 5],
    [undefined, 4],
  ]);
});

it("says how long it took with two digits", () => {
  expect(duration("en", 0.52)).toBe("0.52 ms");
  expect(duration("en", 372.4)).toBe("372 ms");
  expect(duration("en", 1_240)).toBe("1.2 sec");
  expect(duration("en", 17_400)).toBe("17 sec");
  expect(duration("en", 600_000)).toBe("10 min");
});
