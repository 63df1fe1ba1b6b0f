/** Counts what a person does, and holds it against what was promised (`steps.json`). */
import type { Locator, Page } from "@playwright/test";
import { expect } from "./test.ts";
import steps from "./steps.json" with { type: "json" };

export class Hand {
  private done = 0;

  constructor(private readonly page: Page) {}

  /** One click. */
  async click(what: Locator): Promise<void> {
    this.done += 1;
    await what.click();
  }

  /** One field, with the key that ends it. */
  async type(what: Locator, text: string, end?: "Enter"): Promise<void> {
    this.done += 1;
    await what.fill(text);
    if (end) await what.press(end);
  }

  /** What is typed where the focus is already. */
  async typeHere(text: string, end?: "Enter"): Promise<void> {
    this.done += 1;
    await this.page.keyboard.type(text);
    if (end) await this.page.keyboard.press(end);
  }

  /** One key or chord. */
  async press(key: string): Promise<void> {
    this.done += 1;
    await this.page.keyboard.press(key);
  }

  /** One gesture that Playwright has no words for: a file that is dropped. */
  async did(gesture: () => Promise<void>): Promise<void> {
    this.done += 1;
    await gesture();
  }

  /** The task is done, in no more actions than promised. */
  needed(task: keyof typeof steps): void {
    expect(this.done, task).toBeLessThanOrEqual(steps[task]);
  }
}
