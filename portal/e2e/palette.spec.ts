import type { Page } from "@playwright/test";
import { english } from "./spoken.ts";
import { expect, flag, served, test } from "./test.ts";

const HOME = "/default/demo/flags";

async function typed(page: Page, text: string) {
  await page.keyboard.press("Control+k");
  const box = page.getByRole("dialog").getByRole("combobox");
  await expect(box).toBeFocused();
  await box.fill(text);
  return page.getByRole("dialog").getByRole("option");
}

test("rolled out, asked why, made and put away by name", async ({ owner, server, call }) => {
  await flag(call, "by-word", ["dev"]);
  await owner.goto(server.url + HOME);
  await expect(owner.getByRole("link", { name: "by-word" })).toBeVisible();

  let options = await typed(owner, "10% by-word dev");
  await expect(options).toHaveText(/Roll by-word out to 10/);
  await owner.keyboard.press("Enter");
  await owner
    .getByRole("dialog")
    .getByRole("button", { name: /10\s?%/ })
    .click();
  await expect(owner.getByText(/dev is now version/)).toBeVisible();

  options = await typed(owner, "why ana by-word dev");
  await expect(options).toHaveText(/Why ana gets what of by-word in dev/);
  await owner.keyboard.press("Enter");
  await expect(owner).toHaveURL(/by-word\/dev\/why\?user=ana/);

  // What is looked at need not be named.
  options = await typed(owner, "off");
  await expect(options).toHaveText(/Turn by-word off in dev/);
  await owner.keyboard.press("Enter");
  await owner.getByRole("button", { name: "Turn off in dev" }).click();
  await expect.poll(() => served(call, "dev", "by-word", { key: "ana" })).toBe("false");
  // It is served before the page has heard that it is.
  await expect(owner.getByRole("dialog")).toHaveCount(0);

  options = await typed(owner, "archive by-word");
  await expect(options).toHaveText(/Archive by-word/);
  await owner.keyboard.press("Enter");
  await expect(owner.getByText("1 change", { exact: true })).toBeVisible();

  options = await typed(owner, "create flag Named here");
  await expect(options).toHaveText(/Create the flag Named here/);
  await owner.keyboard.press("Enter");
  await expect(owner.getByLabel("Name", { exact: true })).toHaveValue("Named here");
});

test("a user is found by key or name while one types, and Enter opens what they get", async ({
  owner,
  server,
}) => {
  // Of the first environment that the list shows.
  const users = `${server.url}/api/v1/projects/demo/environments/prod/users`;
  const known = [
    { key: "palma/1", name: "Palma Ruiz" },
    { key: "palmer", name: "" },
  ];
  const response = await fetch(users, {
    method: "POST",
    headers: { "content-type": "application/x-ndjson", cookie: await server.signIn() },
    body: known.map((it) => JSON.stringify(it)).join("\n"),
  });
  expect(response.ok, await response.clone().text()).toBe(true);
  const sought = (url: string) => new URL(url).searchParams.get("search");
  const asked: (string | null)[] = [];
  const left: (string | null)[] = [];
  owner.on("request", (it) => it.url().startsWith(`${users}?`) && asked.push(sought(it.url())));
  owner.on("requestfailed", (it) => left.push(sought(it.url())));
  // The first answer does not come before one types on.
  await owner.route(`${users}?*search=pal`, () => undefined);

  await owner.goto(server.url + HOME);
  const options = await typed(owner, "p");
  await expect(options.first()).toBeVisible();
  await owner.keyboard.type("al");
  await expect.poll(() => asked).toEqual(["pal"]);
  await owner.keyboard.type("ma r");
  await expect(options).toHaveText(/Palma Ruiz.*User palma\/1 in prod/);
  expect(left).toContain("pal");
  expect(asked.length).toBeLessThan(5);
  await owner.keyboard.press("Enter");
  await expect(owner).toHaveURL(/demo\/users\/prod\/palma%2F1/);
  await expect(owner.getByRole("heading", { name: "Palma Ruiz" })).toBeVisible();

  // By key, from a page of another environment: of that one.
  await owner.goto(`${server.url}${HOME}/theme/dev`);
  await expect(owner.getByRole("heading", { name: "Theme" })).toBeVisible();
  await expect(await typed(owner, "palme")).toHaveCount(0);
  await owner.goto(`${server.url}${HOME}/theme/prod`);
  await expect(owner.getByRole("heading", { name: "Theme" })).toBeVisible();
  await expect(await typed(owner, "palme")).toHaveText(/palmer.*User palmer in prod/);
});

test("pages, and where one was", async ({ owner, server }) => {
  await owner.goto(`${server.url}${HOME}/theme/prod`);
  await expect(owner.getByRole("heading", { name: "Theme" })).toBeVisible();
  let options = await typed(owner, "aud");
  await expect(options).toHaveText(/Audit/);
  await owner.keyboard.press("Enter");
  await expect(owner).toHaveURL(/default\/audit/);
  // Until the page is there, what is offered is about the one before.
  await expect(owner.getByRole("heading", { level: 1, name: "Audit" })).toBeVisible();
  options = await typed(owner, "");
  await expect(options.first()).toHaveText(/Theme/i);
  await owner.keyboard.press("Enter");
  await expect(owner).toHaveURL(/flags\/theme\/prod/);
});

test("keys: two go to a page, one shows them all, and none where they are off", async ({
  owner,
  server,
}) => {
  await owner.goto(server.url + HOME);
  await expect(owner.getByRole("link", { name: /Theme/ })).toBeVisible();
  await owner.keyboard.press("g");
  await owner.keyboard.press("c");
  await expect(owner).toHaveURL(/default\/changes/);
  await owner.keyboard.press("g");
  await owner.keyboard.press("f");
  await expect(owner.getByRole("link", { name: /Theme/ })).toBeVisible();
  await owner.keyboard.press("?");
  const list = owner.getByRole("dialog", { name: "Keyboard shortcuts" });
  await list.getByRole("switch", { name: "Single letters" }).click();
  await expect(list.getByRole("switch", { name: "Single letters" })).not.toBeChecked();
  await owner.keyboard.press("Escape");
  await expect(list).toBeHidden();
  await owner.keyboard.press("c");
  await owner.keyboard.press("?");
  await expect(owner.getByRole("dialog")).toBeHidden();
  await owner.getByRole("button", { name: /Account/ }).click();
  await owner.getByRole("menuitem", { name: "Keyboard shortcuts" }).click();
  await list.getByRole("switch", { name: "Single letters" }).click();
  await expect(list.getByRole("switch", { name: "Single letters" })).toBeChecked();
});

test("a press that comes before the page is not lost", async ({ owner, server }) => {
  // The scripts are there, and have asked for the words; the page is not: nobody answers yet.
  let asked = () => {};
  let answer = () => {};
  const waits = new Promise<void>((resolve) => (asked = resolve));
  const pressed = new Promise<void>((resolve) => (answer = resolve));
  const words = await english();
  await owner.route(
    ({ pathname }) => words.has(pathname),
    async (route) => {
      asked();
      await pressed;
      await route.fallback();
    },
  );
  await owner.goto(server.url + HOME, { waitUntil: "commit" });
  await waits;
  await owner.keyboard.press("Control+k");
  await expect(owner.locator("#root")).toBeEmpty();
  answer();
  await expect(owner.getByRole("dialog").getByRole("combobox")).toBeFocused();
});
