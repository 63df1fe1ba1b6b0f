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

/** The API, as whoever looks at the page. */
export async function call<T>(
  page: Page,
  method: string,
  route: string,
  data?: unknown,
): Promise<T> {
  const { origin } = new URL(page.url());
  const answer = await page.request.fetch(`${origin}/api/v1${route}`, { method, data });
  if (!answer.ok()) throw new Error(`${method} ${route}: ${await answer.text()}`);
  const text = await answer.text();
  return (text === "" ? undefined : JSON.parse(text)) as T;
}
