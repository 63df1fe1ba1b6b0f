import { expect } from "../test.ts";
import { type Shown } from "./shown.ts";

export const changes: Shown[] = [
  {
    name: "changes-none",
    path: "/default/changes",
    ready: (page) => expect(page.getByText("No request is open")).toBeVisible(),
  },
  {
    name: "changes-history",
    path: "/default/changes/history",
    ready: (page) => expect(page.getByText(/signed in/).first()).toBeVisible(),
  },
];
