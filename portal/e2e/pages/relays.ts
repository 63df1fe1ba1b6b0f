/** Relays and their keys, as they are with none, while one is made, and in use. */
import type { Page } from "@playwright/test";
import { expect } from "../test.ts";
import { type Shown, call } from "./shown.ts";

const AT = "/default/settings/relays";

const KEYS = [
  { name: "Frankfurt", description: "The shop’s servers", scope: { all: true } },
  {
    name: "Stores",
    description: "",
    scope: { environments: ["dev", "prod"].map((it) => ({ project: "demo", environment: it })) },
  },
];

/** The ids of the keys, made once. */
async function made(page: Page): Promise<string[]> {
  const known = await call<{ items: { id: string; name: string }[] }>(page, "GET", "/relay-keys");
  const ids: string[] = [];
  for (const key of KEYS) {
    const found = known.items.find((it) => it.name === key.name);
    // One after the other: they are listed as they were made.
    ids.push((found ?? (await call<{ id: string }>(page, "POST", "/relay-keys", key))).id);
  }
  return ids;
}

/** Relays as they are told of: none could be made to be behind, or gone for days, on the spot. */
async function connected(page: Page) {
  const ids = await made(page);
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const relay = (name: string, key: number, behind: number, seen: number) => ({
    id: name,
    key: ids[key],
    name,
    version: "0.4.0",
    address: `10.0.${key}.17`,
    node: "burgee-1",
    connected: seen === 0,
    connections: 1_204,
    environments: ["dev", "prod"].map((environment, index) => ({
      project: "demo",
      environment,
      version: 12,
      behind: index * behind,
    })),
    connectedAt: ago(3 * 60),
    lastSeenAt: ago(seen),
  });
  const items = [relay("fra-1", 0, 0, 0), relay("fra-2", 0, 3, 0), relay("till-17", 1, 9, 5_000)];
  await page.route("**/api/v1/relay-agents?*", (route) => route.fulfill({ json: { items } }));
  await page.reload();
}

export const relays: Shown[] = [
  {
    name: "relays-none",
    path: AT,
    ready: (page) => expect(page.getByRole("heading", { name: "No relay yet" })).toBeVisible(),
  },
  {
    name: "relay-key-new",
    path: AT,
    async ready(page) {
      await page.getByRole("button", { name: "New relay key" }).click();
      await page.getByRole("radio", { name: /Chosen environments/ }).check();
      await page.getByRole("checkbox", { name: /demo\/prod/ }).check();
    },
  },
  {
    name: "relays",
    path: AT,
    async ready(page) {
      await connected(page);
      await expect(page.getByRole("cell", { name: /^till-17/ })).toBeVisible();
    },
  },
  {
    name: "relay-key-made",
    path: AT,
    async ready(page) {
      await page.getByRole("button", { name: "New relay key" }).click();
      await page.getByLabel("Name").fill("Berlin");
      await page.getByRole("button", { name: "Create the relay key" }).click();
      await expect(page.getByRole("button", { name: "Copy the command" })).toBeVisible();
    },
  },
  {
    name: "relay-key-revoke",
    path: AT,
    async ready(page) {
      await connected(page);
      await page.getByRole("button", { name: "More about Frankfurt" }).click();
      await page.getByRole("menuitem", { name: "Revoke" }).click();
      await expect(page.getByRole("dialog", { name: "Revoke Frankfurt" })).toBeVisible();
    },
  },
];
