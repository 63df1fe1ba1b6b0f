/** Who has a change, and the SDKs that are connected: from nobody to many nodes with some behind. */
import type { Page } from "@playwright/test";
import { expect } from "../test.ts";
import { type Shown, call } from "./shown.ts";

const CONNECTED = "/default/demo/settings/environments/prod/connections";

const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString();
const figures = (connections: number, written: number, received: number, most = 372) => ({
  connections,
  written,
  received,
  writtenAfter: { count: connections, p50: 96, p99: most, max: most * 3 },
  receivedAfter: { count: received, p50: 8_400, p99: 15_200, max: 17_600 },
});
const sdk = (name: string, version?: string) => ({ name, ...(version ? { version } : {}) });

const LATE = [
  { kind: "server", sdk: sdk("fb-go-server-sdk", "1.2.0"), since: ago(9_000), received: 808 },
  { kind: "client", sdk: sdk("browser"), since: ago(340), written: 812, received: 811 },
  { kind: "server", since: ago(86_000), written: 811, received: 811, stalled: true },
].map((it) => ({ written: it.received ?? 811, stalled: false, ...it }));

const node = (name: string, kind: string, of: ReturnType<typeof figures>) => ({
  node: name,
  name,
  kind,
  isThis: name === "burgee-1:5100",
  arrivedAfter: 4,
  figures: of,
  laggardCount: of.connections - of.received,
  laggards: [] as unknown[],
});

const HERE = {
  ...node("burgee-1:5100", "server", figures(1_204, 1_202, 1_201)),
  laggards: LATE,
};
const FAR = { ...node("fra-1", "relay", figures(1_106, 1_106, 1_106)), parent: "burgee-1:5100" };
const CUT = {
  ...node("sin-1", "relay", { ...figures(4, 0, 0), connections: 4 }),
  parent: "burgee-1:5100",
  arrivedAfter: undefined,
};

type Total = ReturnType<typeof figures>;

const answer = (total: Total, nodes: unknown[]) => ({
  change: "",
  committedAt: ago(90),
  complete: total.received === total.connections,
  environments: [
    {
      project: "demo",
      environment: "prod",
      version: 812,
      complete: total.received === total.connections,
      total,
      nodes,
    },
  ],
});

/** The page of a change that was made so long ago, with this answer to who has it. */
const who =
  (seconds: number, total: Total, nodes: unknown[], text: string) => async (page: Page) => {
    const flag = `told-${crypto.randomUUID().slice(0, 8)}`;
    await call(page, "POST", "/projects/demo/changes", {
      commands: [{ kind: "createFlag", flag, type: "boolean" }],
    });
    const { id } = await call<{ id: string }>(page, "POST", "/projects/demo/changes", {
      comment: "The new checkout for everybody",
      commands: [{ kind: "turnOn", flag, environment: "prod" }],
    });
    // None could be made to be cut off, or to have a thousand connections, on the spot.
    await page.route(`**/api/v1/changes/${id}`, async (route) => {
      const found = (await (await route.fetch()).json()) as object;
      await route.fulfill({ json: { ...found, at: ago(seconds) } });
    });
    const json = answer(total, nodes);
    await page.route(`**/api/v1/changes/${id}/delivery`, (route) => route.fulfill({ json }));
    await page.goto(new URL(`/default/changes/${id}`, page.url()).href);
    await expect(page.getByRole("region", { name: "Who has it" })).toContainText(text);
  };

const none = { connections: 0, written: 0, received: 0 } as Total;

async function many(page: Page) {
  const connections = [
    { kind: "server", sdk: sdk("fb-go-server-sdk", "1.2.0"), address: "10.0.0.17" },
    { kind: "server", sdk: sdk("python-sdk", "1.2.1"), address: "10.0.0.18" },
    { kind: "client", sdk: sdk("browser"), address: "2001:db8:85a3::8a2e:370:7334" },
    { kind: "client", address: "203.0.113.9" },
  ];
  const place = "/projects/demo/environments/prod";
  const { version } = await call<{ version: number }>(page, "GET", place);
  const items = connections.map((it, index) => ({
    ...it,
    since: ago(60 * 7 ** index),
    written: version - (index === 1 ? 3 : 0),
    received: version - (index === 1 ? 3 : index === 2 ? 1 : 0),
    stalled: false,
  }));
  const sdks = connections.map(({ kind, sdk: it }, index) => ({
    kind,
    sdk: it,
    connections: 812 - index * 201,
  }));
  const of = (name: string, kind: string, isThis: boolean, count: number) => ({
    node: name,
    name,
    kind,
    isThis,
    connections: count,
    sdks: isThis ? sdks : [],
  });
  const nodes = [of("burgee-1:5100", "server", true, 2_042), of("fra-1", "relay", false, 1_106)];
  const json = { node: "burgee-1:5100", items, nodes, next: "0-100" };
  await page.route("**/prod/connections?*", (route) => route.fulfill({ json }));
  await page.reload();
}

export const delivery: Shown[] = [
  {
    name: "delivery-nobody",
    path: "/default/changes",
    ready: who(90, none, [{ ...node("burgee-1:5100", "server", none) }], "No SDK is connected"),
  },
  {
    name: "delivery-confirming",
    path: "/default/changes",
    ready: who(2, figures(2_314, 2_314, 820), [HERE, FAR], "being confirmed"),
  },
  {
    name: "delivery-all",
    path: "/default/changes",
    ready: who(90, figures(2_314, 2_314, 2_314), [FAR], "All 2,314 connections have it"),
  },
  {
    name: "delivery-behind",
    path: "/default/changes",
    async ready(page) {
      const total = figures(2_314, 2_308, 2_307);
      await who(90, total, [HERE, FAR, CUT], "7 behind")(page);
      await page.getByText("What “sent” and “confirmed” mean").click();
    },
  },
  {
    name: "delivery-failed",
    path: "/default/changes",
    async ready(page) {
      await page.route("**/delivery", (route) => route.fulfill({ status: 400, json: {} }));
      const flag = `untold-${crypto.randomUUID().slice(0, 8)}`;
      const commands = [
        { kind: "createFlag", flag, type: "boolean" },
        { kind: "turnOn", flag, environment: "prod" },
      ];
      const made = await call<{ id: string }>(page, "POST", "/projects/demo/changes", { commands });
      await page.goto(new URL(`/default/changes/${made.id}`, page.url()).href);
      await expect(
        page.getByRole("region", { name: "Who has it" }).getByRole("alert"),
      ).toBeVisible();
    },
  },
  {
    name: "connections-none",
    path: CONNECTED,
    ready: (page) =>
      expect(page.getByRole("heading", { name: "No SDK is connected" })).toBeVisible(),
  },
  {
    name: "connections",
    path: CONNECTED,
    async ready(page) {
      await many(page);
      await expect(page.getByText("3 versions behind")).toBeVisible();
    },
  },
];
