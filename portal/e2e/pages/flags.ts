import { expect } from "../test.ts";
import { type Shown, HOME } from "./shown.ts";

export const flags: Shown[] = [
  {
    name: "flags",
    path: HOME,
    ready: (page) => expect(page.getByRole("row").nth(1).getByRole("link").first()).toBeVisible(),
  },
  {
    name: "flags-no-match",
    path: `${HOME}?q=zzz`,
    ready: (page) => expect(page.getByText("No flag matches the filter")).toBeVisible(),
  },
  {
    name: "flag-cell",
    path: HOME,
    async ready(page) {
      await page.getByRole("button", { name: /theme in prod/ }).click();
      await expect(page.getByRole("button", { name: "Turn off in prod" })).toBeVisible();
      await expect(page.getByText(/known/)).toBeVisible();
    },
  },
  {
    name: "flag-new",
    path: `${HOME}?create=true`,
    ready: (page) => expect(page.getByRole("dialog")).toBeVisible(),
  },
  {
    name: "palette",
    path: HOME,
    async ready(page) {
      await expect(page.getByRole("link", { name: /Theme/ })).toBeVisible();
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").getByRole("combobox").fill("page");
      await expect(page.getByRole("dialog").getByRole("option")).toBeVisible();
    },
  },
];
