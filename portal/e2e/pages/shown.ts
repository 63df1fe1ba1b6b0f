/** A page or a state of one, for the tests that look at all of them. */
import type { Page } from "@playwright/test";
import { expect } from "../test.ts";

export interface Shown {
  /** The name of its picture. */
  name: string;
  path: string;
  /** What is there when the page is. */
  ready: (page: Page) => Promise<void>;
}

export const HOME = "/default/demo/flags";

export const heading = (name: string | RegExp) => async (page: Page) =>
  expect(page.getByRole("heading", { name, level: 1 })).toBeVisible();
