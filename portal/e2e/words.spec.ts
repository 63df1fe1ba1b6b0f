/** The portal in other words: longer ones, Japanese, Chinese. */
import { fileURLToPath } from "node:url";
import { CROWDED_PAGES, MAIN_PAGES } from "./pages/all.ts";
import { inLanguage, narrowed, stretch, unfit } from "./spoken.ts";
import { expect, test } from "./test.ts";

const shots = fileURLToPath(new URL("../shots/", import.meta.url));

for (const { name, path, ready } of [...MAIN_PAGES, ...CROWDED_PAGES]) {
  test(`${name} has room for longer words`, async ({ owner, server }) => {
    await owner.goto(server.url + path);
    await ready(owner);
    await stretch(owner);
    await owner.screenshot({ path: `${shots}${name}-long.png` });
    expect.soft(await unfit(owner), "on a desk").toEqual([]);
    await narrowed(owner);
    await owner.screenshot({ path: `${shots}${name}-long-360.png` });
    expect.soft(await unfit(owner), "on a phone").toEqual([]);
  });
}

for (const language of ["ja", "zh"] as const) {
  for (const { name, path, ready } of MAIN_PAGES) {
    test(`${name} in ${language}`, async ({ owner, server }) => {
      await owner.goto(server.url + path);
      await ready(owner);
      await inLanguage(owner, language);
      await owner.screenshot({ path: `${shots}${name}-${language}.png` });
      expect.soft(await unfit(owner), "on a desk").toEqual([]);
      await narrowed(owner);
      await owner.screenshot({ path: `${shots}${name}-${language}-360.png` });
      expect.soft(await unfit(owner), "on a phone").toEqual([]);
    });
  }
}

test.describe("who begins", () => {
  test.use({ locale: "ja" });
  test("is spoken to as the browser speaks", async ({ page, server }) => {
    await page.goto(server.url);
    await expect(page.locator("html")).toHaveAttribute("lang", "ja");
    await expect(page.getByRole("heading", { name: "サインイン" })).toBeVisible();
  });
});
