import type { Page } from "@playwright/test";
import { write } from "../editor.ts";
import { expect } from "../test.ts";
import { AT, made } from "./flag-made.ts";
import { type Shown, HOME, heading } from "./shown.ts";

/** A state of a flag of the project that is made for looking. */
const of = (name: string, path: string, ready: (page: Page) => Promise<void>): Shown => ({
  name,
  path: "/default/projects",
  async ready(page) {
    await made(page);
    await page.goto(new URL(`${AT}/${path}`, page.url()).href);
    await ready(page);
  },
});
const part = (page: Page, name: string) => page.getByRole("region", { name });
/** So that the part is in the picture, below what stays at the top. */
const seen = (page: Page, name: string) =>
  part(page, name).evaluate((it) => it.scrollIntoView({ block: "start" }));

export const flag: Shown[] = [
  { name: "flag", path: `${HOME}/custom-rule-with-segment/prod`, ready: heading(/Custom rules/) },
  { name: "flag-text", path: `${HOME}/welcome-text/prod`, ready: heading("Welcome text") },
  {
    name: "flag-not-released",
    path: `${HOME}/theme/dev`,
    ready: (page) => expect(page.getByText("Not released in dev")).toBeVisible(),
  },
  {
    name: "flag-history",
    path: `${HOME}/theme/history`,
    ready: (page) => expect(page.getByRole("button", { name: "Revert" })).toBeVisible(),
  },
  {
    name: "flag-missing",
    path: `${HOME}/nobody-made-this/prod`,
    ready: (page) => expect(page.getByText("There is nothing here")).toBeVisible(),
  },
  of("flag-rules", "checkout/dev", async (page) => {
    await expect(page.getByRole("listitem", { name: /^Known customers/ })).toBeVisible();
    await seen(page, "Rules");
  }),
  of("flag-combobox", "checkout/dev", async (page) => {
    const rule = page.getByRole("listitem", { name: "Rule 2" });
    await rule.getByLabel("add a condition").click();
    await expect(rule.getByRole("option").first()).toBeVisible();
  }),
  of("flag-targets", "checkout/dev", async (page) => {
    await expect(part(page, "Individual targets").getByText("1,000 users")).toBeVisible();
    await seen(page, "Individual targets");
  }),
  of("flag-split", "checkout/prod", async (page) => {
    await expect(part(page, "Everybody else").getByRole("textbox").first()).toBeVisible();
  }),
  of("flag-counts", "checkout/dev", async (page) => {
    await expect(part(page, "Evaluations").getByText("Last evaluated")).toBeVisible();
    await expect(part(page, "Evaluations").getByText("480", { exact: true }).first()).toBeVisible();
    await seen(page, "Evaluations");
  }),
  of("flag-json-wrong", "limits/dev", async (page) => {
    await page.getByRole("button", { name: "Value A: edit the JSON" }).click();
    // The editor indents by itself.
    const editor = page.getByRole("textbox", { name: "Value A" });
    await write(editor, '{\n"items": 10,\n"upload": {,\n}');
    await expect(part(page, "Variations").getByRole("alert")).toBeVisible();
    await expect(page.locator(".cm-lint-marker-error")).toBeVisible();
    await seen(page, "Variations");
  }),
  of("flag-json-diff", "limits/dev", async (page) => {
    await page.getByRole("button", { name: "Value A: edit the JSON" }).click();
    await write(
      page.getByRole("textbox", { name: "Value A" }),
      '{"items":20,"upload":{"megabytes":5,"kinds":["png","svg"]},"trial":true}',
    );
    await expect(part(page, "Variations").getByText("items", { exact: true })).toBeVisible();
    await seen(page, "Variations");
  }),
  of("flag-archived", "old-banner/dev", async (page) => {
    await expect(page.getByRole("button", { name: "Delete" })).toBeVisible();
  }),
  of("flag-delete", "old-banner/dev", async (page) => {
    await page.getByRole("button", { name: "Delete" }).click();
    await expect(page.getByRole("button", { name: "Delete old-banner" })).toBeVisible();
  }),
  of("flag-turned-off", "new-search/dev", async (page) => {
    await expect(page.getByText("The index is a day behind")).toBeVisible();
  }),
  of("flag-override", "new-search/prod", async (page) => {
    await page.getByRole("switch").click();
    await expect(page.getByLabel("Reason, for everybody to see")).toBeVisible();
  }),
  of("flag-past", "checkout/history", async (page) => {
    await page
      .getByRole("link", { name: /^dev, version/ })
      .first()
      .click();
    await expect(page.getByText("Everybody else").first()).toBeVisible();
  }),
];
