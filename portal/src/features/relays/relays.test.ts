import { expect, it } from "vitest";
import type { RelayAgent, RelayKey } from "@/lib/api/relays";
import { behindIn, editOf, inOrder, scopeOf, typedOf } from "./relays";

const agent = (name: string, connected: boolean, ...behind: number[]): RelayAgent => ({
  id: name,
  key: "k",
  name,
  version: "1.0.0",
  kind: "burgee",
  address: "10.0.0.1",
  node: "a",
  connected,
  connections: 0,
  environments: behind.map((it) => ({ project: "web", environment: "e", version: 1, behind: it })),
  connectedAt: "",
  lastSeenAt: "",
});

const key: RelayKey = {
  id: "k",
  name: "Edge",
  description: "",
  prefix: "rp-1",
  createdAt: "",
  scope: { all: false, environments: [{ project: "web", environment: "prod" }], hidden: 2 },
};

it("counts environments that are behind, not versions", () => {
  expect(behindIn(agent("a", true, 0, 7, 1))).toBe(2);
  expect(behindIn(agent("a", true))).toBe(0);
});

it("has those that are connected first", () => {
  const all = [agent("a", false), agent("c", true), agent("b", true)];
  const compare = (a: string, b: string) => a.localeCompare(b);
  expect(inOrder(all, compare).map((it) => it.name)).toEqual(["b", "c", "a"]);
});

it("leaves the scope as it is where another name is given: part of it may be hidden", () => {
  const typed = { ...typedOf(key), name: "Edge 2 " };
  expect(editOf(typed, key)).toEqual({ name: "Edge 2", description: "" });
  expect(editOf({ ...typed, all: true }, key).scope).toEqual({ all: true });
});

it("names environments where not all are meant", () => {
  const typed = { name: "a", description: "", all: false, chosen: ["web/prod", "shop/dev"] };
  expect(scopeOf(typed)).toEqual({
    environments: [
      { project: "web", environment: "prod" },
      { project: "shop", environment: "dev" },
    ],
  });
  expect(scopeOf({ ...typed, all: true })).toEqual({ all: true });
});
