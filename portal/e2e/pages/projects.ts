import { expect } from "../test.ts";
import { HOME, type Shown } from "./shown.ts";

const SETTINGS = "/default/demo/settings";

export const projects: Shown[] = [
  {
    name: "audit",
    path: "/default/audit",
    // Whatever was done last: who signed in may be pages behind by now.
    ready: (page) => expect(page.locator("main time").first()).toBeVisible(),
  },
  {
    name: "audit-none",
    path: "/default/audit?q=nobody-did-this",
    ready: (page) => expect(page.getByText("No entry matches the filter")).toBeVisible(),
  },
  {
    name: "audit-keeping",
    path: "/default/audit",
    async ready(page) {
      await page.getByRole("button", { name: "Keep and verify" }).click();
      await expect(page.getByRole("button", { name: "Save how long" })).toBeVisible();
    },
  },
  {
    name: "environments",
    path: `${SETTINGS}/environments`,
    ready: (page) => expect(page.getByRole("listitem").first()).toBeVisible(),
  },
  {
    name: "environment",
    path: `${SETTINGS}/environments/prod`,
    ready: (page) => expect(page.getByRole("button", { name: "Save prod" })).toBeVisible(),
  },
  {
    name: "environment-new",
    path: `${SETTINGS}/environments`,
    async ready(page) {
      await page.getByRole("button", { name: "New environment" }).click();
      await page.getByLabel("Name", { exact: true }).fill("Staging");
      await expect(page.getByRole("button", { name: "Create staging" })).toBeVisible();
    },
  },
  {
    name: "environment-rules",
    path: `${SETTINGS}/environments/prod/rules`,
    async ready(page) {
      await page.getByLabel("Approvals").fill("1");
      await expect(page.getByText("prod: 1 approval.")).toBeVisible();
    },
  },
  {
    name: "sdk-keys",
    path: `${SETTINGS}/environments/prod/keys`,
    ready: (page) => expect(page.getByRole("row").nth(1)).toBeVisible(),
  },
  {
    name: "sdk-key-rotate-now",
    path: `${SETTINGS}/environments/prod/keys`,
    async ready(page) {
      await page.getByLabel("When a key is rotated").selectOption("0");
      await page
        .getByRole("button", { name: /^Rotate / })
        .first()
        .click();
      await expect(page.getByRole("dialog")).toBeVisible();
    },
  },
  {
    name: "environment-menu",
    path: HOME,
    async ready(page) {
      // On a phone there are no columns.
      if ((page.viewportSize()?.width ?? 0) < 760) return;
      await page.getByRole("columnheader").getByRole("button", { name: "prod" }).click();
      await expect(page.getByRole("link", { name: "SDK keys", exact: true })).toBeVisible();
    },
  },
  {
    name: "project-general",
    path: `${SETTINGS}/general`,
    ready: (page) => expect(page.getByRole("button", { name: "Save demo" })).toBeVisible(),
  },
  {
    name: "project-files",
    path: `${SETTINGS}/files`,
    async ready(page) {
      const source = page.getByRole("group", { name: "File", exact: true });
      const flag = "    type: boolean\n    variations: [{ value: 'true' }, { value: 'false' }]\n";
      await source
        .getByRole("textbox")
        .fill(`burgee: 1\nproject: demo\nflags:\n  from-a-file:\n${flag}`);
      await page.getByRole("button", { name: "See what it would do" }).click();
      await expect(page.getByRole("button", { name: "Apply to demo" })).toBeVisible();
    },
  },
];
