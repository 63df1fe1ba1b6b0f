import { expect } from "../test.ts";
import { type Shown, HOME, heading } from "./shown.ts";

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
];
