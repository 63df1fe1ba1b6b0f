import type { Page } from "@playwright/test";
import { expect } from "../test.ts";
import { type Shown, HOME } from "./shown.ts";

const answered = async (page: Page) => {
  await expect(page.getByRole("list", { name: "Step by step" })).toBeVisible();
  await expect(page.getByRole("link", { name: "dev" }).last()).toBeVisible();
};

export const why: Shown[] = [
  { name: "why", path: `${HOME}/return-10p-true/prod/why?user=ana`, ready: answered },
  {
    name: "why-rules",
    path: `${HOME}/custom-rule-with-segment/prod/why?user=ben&properties=%7B%22age%22%3A%2228%22%2C%22country%22%3A%22%22%7D`,
    ready: answered,
  },
];
