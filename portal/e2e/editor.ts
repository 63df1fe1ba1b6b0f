import type { Locator } from "@playwright/test";

/**
 * Writes into an editor of JSON as a person types. What Playwright's `fill` puts in has styles,
 * which the page's policy forbids.
 */
export async function write(editor: Locator, text: string): Promise<void> {
  await editor.press("ControlOrMeta+A");
  await editor.page().keyboard.type(text);
}
