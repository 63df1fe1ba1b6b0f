import type { Page } from "@playwright/test";
import { expect } from "../test.ts";
import { HOME, type Shown, call } from "./shown.ts";

const TITLE = "Half of everybody, at last";

interface Made {
  id: string;
  title: string;
}

/** A project whose `prod` asks for two approvals, with a request that waits for them. */
async function made(page: Page): Promise<string> {
  const { items } = await call<{ items: Made[] }>(page, "GET", "/requests");
  const known = items.find((it) => it.title === TITLE);
  if (known) return known.id;
  await call(page, "POST", "/projects", { key: "waits", name: "Waits" });
  const environment = { key: "prod", name: "Production" };
  await call(page, "POST", "/projects/waits/environments", environment);
  const on = { id: "on", name: "New", value: "true" };
  const off = { id: "off", name: "Old", value: "false" };
  const flag = { flag: "new-checkout", project: "waits" };
  const rollout = (share: number) => ({
    ...flag,
    kind: "setDefaultRule",
    environment: "prod",
    variations: [
      { id: "on", rollout: [0, share] },
      { id: "off", rollout: [share, 1] },
    ],
  });
  await call(page, "POST", "/changes", {
    comment: "A first look, for one in twenty",
    commands: [
      {
        ...flag,
        kind: "createFlag",
        type: "boolean",
        name: "The new checkout",
        variations: [on, off],
      },
      rollout(0.05),
      { ...flag, kind: "turnOn", environment: "prod" },
    ],
  });
  const rules = { comment: "required", approvals: { required: 2 } };
  await call(page, "PUT", "/projects/waits/environments/prod/rules", rules);
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  await call(page, "POST", "/requests", {
    title: "The new checkout, bit by bit",
    comment: "Nobody complained in dev",
    steps: [
      { at: day(1), commands: [rollout(0.25)] },
      { at: day(3), commands: [rollout(0.75)] },
    ],
  });
  const { id } = await call<Made>(page, "POST", "/requests", {
    title: TITLE,
    description: "Payments have been quiet for a week. Support knows about it.",
    comment: "As agreed on Monday",
    commands: [
      rollout(0.5),
      { ...flag, kind: "addTargets", environment: "prod", variation: "off", keys: ["ana", "ben"] },
    ],
  });
  await call(page, "POST", `/requests/${id}/comments`, { text: "Support has its answers ready." });
  return id;
}

const after =
  (where: (id: string) => string, ready: (page: Page) => Promise<void>) => async (page: Page) => {
    const id = await made(page);
    await page.goto(new URL(where(id), page.url()).href);
    await ready(page);
  };

const heading = (page: Page, name: string | RegExp) =>
  expect(page.getByRole("heading", { name }).first()).toBeVisible();

export const changes: Shown[] = [
  {
    name: "changes-none",
    path: "/default/changes?show=forMe",
    ready: (page) => expect(page.getByText("No request waits for you")).toBeVisible(),
  },
  {
    name: "changes",
    path: "/default/changes",
    ready: after(
      () => "/default/changes",
      (page) => expect(page.getByText(TITLE)).toBeVisible(),
    ),
  },
  {
    name: "change-request",
    path: "/default/changes",
    ready: after(
      (id) => `/default/changes/${id}`,
      async (page) => {
        await heading(page, TITLE);
        await expect(page.getByText(/50% ‘New’/)).toBeVisible();
      },
    ),
  },
  {
    name: "changes-schedule",
    path: "/default/changes/schedule",
    ready: after(
      () => "/default/changes/schedule",
      (page) => expect(page.getByText("Step 2 of 2")).toBeVisible(),
    ),
  },
  {
    name: "changes-calendar",
    path: "/default/changes/schedule",
    ready: after(
      () => `/default/changes/schedule?month=${new Date().toISOString().slice(0, 7)}`,
      async (page) => {
        const day = page.getByRole("gridcell").filter({ hasText: "bit by bit" }).first();
        await day.click();
        await expect(page.getByText("Step 1 of 2").first()).toBeVisible();
      },
    ),
  },
  {
    name: "changes-history",
    path: "/default/changes/history",
    ready: (page) => expect(page.getByText(/signed in/).first()).toBeVisible(),
  },
  {
    name: "changes-history-none",
    path: "/default/changes/history?text=nobody-did-this",
    ready: (page) => expect(page.getByText("No change matches the filters")).toBeVisible(),
  },
  {
    name: "versions",
    path: "/default/demo/history/prod",
    ready: (page) => expect(page.getByText("Version 1", { exact: true })).toBeVisible(),
  },
  {
    name: "version",
    path: "/default/demo/history/prod/1",
    ready: (page) => expect(page.getByText("Flags as they were")).toBeVisible(),
  },
  {
    name: "review-schedule",
    path: `${HOME}/theme/prod`,
    async ready(page) {
      await page
        .getByLabel(/^Users who get/)
        .first()
        .fill("ana");
      await page
        .getByLabel(/^Users who get/)
        .first()
        .press("Enter");
      await page.getByRole("button", { name: "More ways" }).click();
      await page.getByRole("menuitem", { name: "Schedule …" }).click();
      await expect(page.getByRole("button", { name: "Tomorrow 09:00" })).toBeVisible();
      await expect(page.getByText(/known/).first()).toBeVisible();
    },
  },
];
