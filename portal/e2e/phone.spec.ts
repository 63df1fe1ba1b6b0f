import type { Page } from "@playwright/test";
import { HOME } from "./pages/shown.ts";
import { expect, flag, test } from "./test.ts";
import { tooSmall } from "./touch.ts";

test.use({ viewport: { width: 360, height: 740 }, hasTouch: true });

/** Rows that are moved sideways, and take height for a scrollbar. */
const scrollbars = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("main *")]
      .filter((it) => /auto|scroll/.test(getComputedStyle(it).overflowX))
      .filter((it) => it.scrollWidth > it.clientWidth && it.clientHeight < 80)
      .filter((it) => getComputedStyle(it).scrollbarWidth !== "none")
      .map((it) => it.className),
  );

test("every place is within reach of a thumb", async ({ owner, server }) => {
  await owner.goto(server.url + HOME);
  const menu = owner.getByRole("navigation", { name: "Main" });
  for (const name of ["Flags", "Segments", "Users", "Changes"]) {
    await expect(menu.getByRole("link", { name })).toBeInViewport({ ratio: 1 });
  }
  for (const name of ["Search", "Account", "Switch project"]) {
    await expect(menu.getByRole("button", { name })).toBeInViewport({ ratio: 1 });
  }
  for (const name of ["Compare", "Audit", "Settings"]) {
    await menu.getByRole("button", { name: "More" }).tap();
    const link = owner.getByRole("menuitem", { name });
    await expect(link).toBeInViewport({ ratio: 1 });
    expect((await link.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await link.tap();
    await expect(owner).toHaveURL(new RegExp(name.toLowerCase()));
    await expect(link).toBeHidden();
  }
});

test("an incident: a flag that is served by share is turned off, with nothing in the way", async ({
  owner,
  server,
  call,
}) => {
  await flag(call, "in-a-hurry", ["prod"]);
  await owner.goto(`${server.url}${HOME}?q=in-a-hurry`);
  await owner.getByRole("button", { name: /in-a-hurry in prod/ }).tap();
  const off = owner.getByRole("button", { name: "Turn off in prod" });
  await expect(off).toBeInViewport({ ratio: 1 });
  // No field has the focus: the keyboard would cover the button.
  await expect(owner.locator("input:focus")).toHaveCount(0);
  await expect(owner.getByText(/known/)).toBeVisible();
  expect((await off.boundingBox())?.width).toBeGreaterThan(300);
  expect(await tooSmall(owner)).toEqual([]);
  await off.tap();
  await expect(owner.getByRole("button", { name: /in-a-hurry in prod: Off/ })).toBeVisible();
});

test("rows that do not fit have no scrollbar, and say that there is more", async ({
  owner,
  server,
}) => {
  await owner.goto(server.url + HOME);
  const filters = owner.getByRole("search");
  await expect(filters).toHaveAttribute("data-after");
  expect(await scrollbars(owner)).toEqual([]);
  expect(await tooSmall(owner)).toEqual([]);
  await filters.evaluate((it) => it.scrollTo({ left: it.scrollWidth }));
  await expect(filters).not.toHaveAttribute("data-after");
  await expect(filters).toHaveAttribute("data-before");

  await owner.goto(`${server.url}${HOME}/theme/dev`);
  const tabs = owner.getByRole("navigation", { name: "Environments" });
  await expect(tabs).toHaveAttribute("data-after");
  await expect(tabs.getByRole("link", { name: /dev/ })).toBeInViewport({ ratio: 1 });
  expect(await scrollbars(owner)).toEqual([]);
  expect(await tooSmall(owner)).toEqual([]);
});

test("a phone that is turned, and a window that becomes narrow, keep their rows apart", async ({
  owner,
  server,
}) => {
  await owner.setViewportSize({ width: 900, height: 740 });
  await owner.goto(server.url + HOME);
  const row = owner.getByRole("row").nth(1);
  await expect(row).toBeVisible();
  await owner.setViewportSize({ width: 360, height: 740 });
  await expect.poll(async () => (await row.boundingBox())?.height).toBeGreaterThan(90);
});
