import { expect } from "../test.ts";
import { type Shown, heading } from "./shown.ts";

const SEGMENTS = "/default/demo/segments";

export const segments: Shown[] = [
  {
    name: "segments",
    path: SEGMENTS,
    ready: (page) => expect(page.getByRole("link", { name: /Experienced/ })).toBeVisible(),
  },
  {
    name: "segments-empty",
    path: "/default/default/segments",
    ready: (page) => expect(page.getByText("No segment yet")).toBeVisible(),
  },
  {
    name: "segment-new",
    path: `${SEGMENTS}?create=true&in=prod`,
    async ready(page) {
      const panel = page.getByRole("dialog");
      await panel.getByLabel("Name").fill("Early birds");
      await panel.getByLabel("Included users").fill("ana, ben, chen");
      await panel.getByLabel("Included users").press("Enter");
      await expect(panel.getByText("3 users", { exact: true })).toBeVisible();
    },
  },
  {
    name: "segment",
    path: `${SEGMENTS}/prod/early-adopters`,
    async ready(page) {
      await heading("Early adopters")(page);
      await expect(page.getByRole("region", { name: "Included users" })).toContainText("10 users");
      await expect(page.getByText(/prod: .*known/)).toBeVisible();
    },
  },
  {
    name: "segment-history",
    path: `${SEGMENTS}/prod/early-adopters/history`,
    ready: (page) => expect(page.getByRole("button", { name: "Revert" })).toBeVisible(),
  },
  {
    name: "segment-missing",
    path: `${SEGMENTS}/prod/nobody-made-this`,
    ready: (page) => expect(page.getByText("There is nothing here")).toBeVisible(),
  },
];
