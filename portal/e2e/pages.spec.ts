import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { fileURLToPath } from "node:url";
import { changes } from "./pages/changes.ts";
import { flag } from "./pages/flag.ts";
import { flags } from "./pages/flags.ts";
import { projects } from "./pages/projects.ts";
import { start } from "./pages/start.ts";
import { segments } from "./pages/segments.ts";
import { HOME, type Shown } from "./pages/shown.ts";
import { users } from "./pages/users.ts";
import { why } from "./pages/why.ts";
import { expect, flag as makeFlag, test } from "./test.ts";

const shots = fileURLToPath(new URL("../shots/", import.meta.url));
const THEMES = ["light", "dark"] as const;

const PAGES: Shown[] = [
  ...flags,
  ...flag,
  ...changes,
  ...projects,
  ...start,
  ...segments,
  ...why,
  ...users,
];

async function accessible(page: Page) {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(
    violations.map((it) => `${it.id}: ${it.nodes.map((node) => node.html).join(" | ")}`),
  ).toEqual([]);
}

for (const colorScheme of THEMES) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme });
    for (const { name, path, ready } of PAGES) {
      test(name, async ({ owner, server }) => {
        await owner.goto(server.url + path);
        await ready(owner);
        await owner.evaluate(() => document.fonts.ready);
        await owner.screenshot({ path: `${shots}${name}-${colorScheme}.png` });
        await accessible(owner);
      });
    }

    test("sign-in", async ({ page, server }) => {
      await page.goto(server.url);
      await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
      await page.screenshot({ path: `${shots}sign-in-${colorScheme}.png` });
      await accessible(page);
    });

    test("review", async ({ owner, server, call }) => {
      const key = `reviewed-${colorScheme}`;
      await makeFlag(call, key, ["prod"]);
      await owner.goto(`${server.url}${HOME}/${key}/prod`);
      await owner.getByLabel("Users who get false in prod").fill("ana, ben");
      await owner.getByLabel("Users who get false in prod").press("Enter");
      await owner.getByRole("button", { name: "Add a rule" }).click();
      await owner.getByRole("button", { name: "Review", exact: true }).click();
      await expect(owner.getByText("2 changes", { exact: true })).toBeVisible();
      await owner.screenshot({ path: `${shots}review-${colorScheme}.png` });
      await accessible(owner);
      await owner.getByRole("button", { name: "Discard" }).click();
    });
  });
}

for (const language of ["ja", "zh"] as const) {
  test.describe(language, () => {
    test.use({ locale: language });
    test("in its own words", async ({ owner, server }) => {
      for (const { name, path } of PAGES.filter((it) => ["flags", "flag"].includes(it.name))) {
        await owner.goto(server.url + path);
        await expect(owner.getByRole("heading", { level: 1 })).toBeVisible();
        await expect(owner.locator("html")).toHaveAttribute("lang", language);
        await expect(owner.locator("[data-row], [role=switch]").first()).toBeVisible();
        await owner.evaluate(() => document.fonts.ready);
        await owner.screenshot({ path: `${shots}${name}-${language}.png` });
      }
    });
  });
}

test.describe("360 px", () => {
  test.use({ viewport: { width: 360, height: 740 } });
  test("nothing is wider than the screen", async ({ owner, server }) => {
    for (const { name, path, ready } of PAGES) {
      await owner.goto(server.url + path);
      await ready(owner);
      await owner.screenshot({ path: `${shots}${name}-360.png` });
      const width = await owner.evaluate(() => document.documentElement.scrollWidth);
      expect(width, name).toBeLessThanOrEqual(360);
    }
  });
});

test("the page's policy allows nothing from elsewhere", async ({ server }) => {
  const answer = await fetch(server.url);
  const policy = answer.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("script-src 'self';");
  expect(policy).not.toContain("unsafe");
  const page = await answer.text();
  const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? "?";
  expect(page).toContain(`nonce="${nonce}"`);
  expect(page).not.toMatch(/https?:\/\//);
});
