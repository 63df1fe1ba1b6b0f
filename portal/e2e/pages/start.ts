import type { Page } from "@playwright/test";
import { expect } from "../test.ts";
import type { Shown } from "./shown.ts";

/** A project of its own, since a language that is chosen makes a flag. */
async function project(page: Page, key: string): Promise<string> {
  const { origin } = new URL(page.url());
  const api = `${origin}/api/v1/projects`;
  await page.request.post(api, { data: { key, name: "Harbor" } });
  const data = { key: "dev", name: "Development" };
  await page.request.post(`${api}/${key}/environments`, { data });
  return `${origin}/default/${key}/flags`;
}

export const start: Shown[] = [
  {
    name: "start",
    path: "/default/default/flags",
    ready: (page) => expect(page.getByRole("heading", { name: "Connect a program" })).toBeVisible(),
  },
  {
    name: "start-program",
    path: "/default/default/flags",
    async ready(page) {
      await page.goto(await project(page, "harbor"));
      await page.getByRole("button", { name: "Node" }).click();
      await expect(page.getByText("Listening for a program in")).toBeVisible();
    },
  },
  {
    name: "home-strip",
    path: "/default/demo/flags",
    async ready(page) {
      await page.getByRole("button", { name: /in the last 24 hours/ }).click();
      await expect(page.getByRole("link", { name: "All changes of this project" })).toBeVisible();
    },
  },
  {
    name: "palette-begins",
    path: "/default/demo/flags/theme/prod",
    async ready(page) {
      await expect(page.getByRole("heading", { name: "Theme" })).toBeVisible();
      await page.keyboard.press("Control+k");
      await expect(page.getByRole("dialog").getByRole("option").first()).toBeVisible();
    },
  },
  {
    name: "shortcuts",
    path: "/default/demo/flags",
    async ready(page) {
      await expect(page.getByRole("link", { name: /Theme/ })).toBeVisible();
      await page.keyboard.press("?");
      await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
    },
  },
];
