import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { fileURLToPath } from "node:url";
import { PAGES } from "./pages/all.ts";
import { HOME } from "./pages/shown.ts";
import { expect, flag as makeFlag, test } from "./test.ts";

const shots = fileURLToPath(new URL("../shots/", import.meta.url));

/** The page is the same in both themes but for its colours: the second time these alone are asked. */
const COLOURS = ["color-contrast", "link-in-text-block"];

async function accessible(page: Page, rules?: string[]) {
  // No frames: one script in the page sees all of it. What passes need not be described.
  const axe = new AxeBuilder({ page }).options({ resultTypes: ["violations"] }).setLegacyMode();
  const { violations } = await (rules ? axe.withRules(rules) : axe).analyze();
  expect(
    violations.map((it) => `${it.id}: ${it.nodes.map((node) => node.html).join(" | ")}`),
  ).toEqual([]);
}

/** Pictures of what is there, in both themes and on a phone; nothing of it that somebody cannot use. */
async function looked(page: Page, name: string) {
  await page.evaluate(() => document.fonts.ready);
  await page.screenshot({ path: `${shots}${name}-light.png` });
  await accessible(page);
  await theme(page, "dark");
  await page.screenshot({ path: `${shots}${name}-dark.png` });
  await accessible(page, COLOURS);
  await theme(page, "light");
  await page.setViewportSize({ width: 360, height: 740 });
  await page.screenshot({ path: `${shots}${name}-360.png` });
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width, "nothing is wider than the screen").toBeLessThanOrEqual(360);
}

async function theme(page: Page, colorScheme: "light" | "dark") {
  await page.emulateMedia({ colorScheme });
  await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", colorScheme);
}

for (const { name, path, ready } of PAGES) {
  test(name, async ({ owner, server }) => {
    await owner.goto(server.url + path);
    await ready(owner);
    await looked(owner, name);
  });
}

test("sign-in", async ({ page, server }) => {
  await page.goto(server.url);
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  await looked(page, "sign-in");
});

test("review", async ({ owner, server, call }) => {
  await makeFlag(call, "reviewed", ["prod"]);
  await owner.goto(`${server.url}${HOME}/reviewed/prod`);
  await owner.getByLabel("Users who get false in prod").fill("ana, ben");
  await owner.getByLabel("Users who get false in prod").press("Enter");
  await owner.getByRole("button", { name: "Add a rule" }).click();
  await owner.getByRole("button", { name: "Review", exact: true }).click();
  await expect(owner.getByText("2 changes", { exact: true })).toBeVisible();
  await looked(owner, "review");
  await owner.getByRole("button", { name: "Discard" }).click();
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
