import { expect } from "../test.ts";
import type { Shown } from "./shown.ts";

export const compare: Shown[] = [
  {
    name: "compare",
    path: "/default/demo/compare/dev..prod",
    ready: (page) => expect(page.getByRole("link", { name: "Theme" })).toBeVisible(),
  },
  {
    name: "compare-segments",
    path: "/default/demo/compare/prod..dev?of=segments",
    ready: (page) => expect(page.getByRole("link", { name: "Experienced" })).toBeVisible(),
  },
  {
    name: "compare-same",
    path: "/default/default/compare/dev..prod",
    ready: (page) => expect(page.getByText("Flags do the same in dev and prod")).toBeVisible(),
  },
  {
    name: "flag-compare",
    path: "/default/demo/flags/individual-targeting/compare/prod..dev",
    ready: (page) =>
      expect(page.getByRole("button", { name: "Take all from prod to dev" })).toBeVisible(),
  },
];
