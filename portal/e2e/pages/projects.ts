import { expect } from "../test.ts";
import { type Shown } from "./shown.ts";

export const projects: Shown[] = [
  {
    name: "audit",
    path: "/default/audit",
    ready: (page) => expect(page.getByText(/signed in/).first()).toBeVisible(),
  },
  {
    name: "audit-none",
    path: "/default/audit?q=nobody-did-this",
    ready: (page) => expect(page.getByText("No entry is like that")).toBeVisible(),
  },
  {
    name: "audit-keeping",
    path: "/default/audit",
    async ready(page) {
      await page.getByRole("button", { name: "Keep and verify" }).click();
      await expect(page.getByRole("button", { name: "Save how long" })).toBeVisible();
    },
  },
];
