import { Hand } from "./hand.ts";
import { OWNER } from "./server.ts";
import { enter, expect, flag, served, test, watch } from "./test.ts";
import { code } from "./totp.ts";

test("the first sign-in asks for a password of one's own", async ({ page, server, call }) => {
  const wrong = watch(page);
  const members = await call<{ items: { email: string }[] }>("GET", "/members");
  expect(members.items.map((it) => it.email)).toContain(OWNER.email);
  await page.goto(`${server.url}/default/demo/flags?q=theme`);
  await page.getByLabel("E-mail").fill(OWNER.email);
  await page.getByLabel("Password").fill("not this one");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("alert")).toBeVisible();
  await page.getByLabel("Password").fill(OWNER.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  // Where one wanted to go.
  await expect(page.getByRole("link", { name: /Theme/ })).toBeVisible();
  expect(page.url()).toContain("q=theme");
  expect(wrong).toEqual([]);
});

test("somebody is invited, joins, and has a second factor", async ({ page, server, call }) => {
  const email = "mia@example.org";
  const made = await call<{ link: string }>("POST", "/invitations", {
    email,
    policies: ["developer"],
  });
  const { hash } = new URL(made.link);
  await page.goto(`${server.url}/link${hash}`);
  await expect(page.getByText(`You are invited as ${email}.`)).toBeVisible();
  await page.getByLabel("Your name").fill("Mia");
  await page.getByLabel("New password").fill("sextant-compass-4");
  await page.getByRole("button", { name: "Join" }).click();
  await expect(page.getByRole("navigation", { name: "Main" })).toBeVisible();

  const cookie = await server.signIn(email, "sextant-compass-4");
  const { seed } = await server.call<{ seed: string }>(cookie, "POST", "/me/second-factor/seed");
  const body = { seed, code: code(seed), password: "sextant-compass-4" };
  const { codes } = await server.call<{ codes: string[] }>(
    cookie,
    "PUT",
    "/me/second-factor",
    body,
  );
  await page.context().clearCookies();
  await page.goto(server.url);
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill("sextant-compass-4");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByLabel("Code").fill(codes[0] ?? "");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("navigation", { name: "Main" })).toBeVisible();
});

test("a link that was used leads nowhere, and says so", async ({ page, server }) => {
  await page.goto(`${server.url}/link#not-a-link`);
  await expect(page.getByRole("alert")).toContainText("There is nothing here any more");
});

test("one asks, another approves", async ({ owner, browser, server, call }) => {
  await flag(call, "guarded", ["dev"]);
  const email = "ken@example.org";
  const made = await call<{ link: string }>("POST", "/invitations", { email, policies: ["owner"] });
  const link = new URL(made.link).hash.slice(1);
  await server.call("", "POST", "/links/follow", {
    link,
    name: "Ken",
    password: "sextant-compass-4",
  });
  const rules = "/projects/demo/environments/dev/rules";
  await call("PUT", rules, { approvals: { required: 1 } });
  try {
    await owner.goto(`${server.url}/default/demo/flags/guarded/dev`);
    const hand = new Hand(owner);
    await hand.type(owner.getByLabel("Users who get false in dev"), "ana", "Enter");
    await expect(owner.getByText("dev, needs 1 approval")).toBeVisible();
    await hand.click(owner.getByRole("button", { name: "Request approval" }));
    hand.needed("askForApproval");
    await expect(owner.getByText("Approval is requested")).toBeVisible();

    const context = await browser.newContext();
    await enter(context, server, await server.signIn(email, "sextant-compass-4"));
    const ken = await context.newPage();
    await ken.goto(`${server.url}/default/changes`);
    const row = ken.getByRole("listitem").filter({ hasText: "guarded in dev" });
    await expect(row).toContainText("Waits for you");
    const other = new Hand(ken);
    await other.click(ken.getByRole("link", { name: /guarded in dev/ }));
    await expect(ken.getByText("‘false’ now individually to ana")).toBeVisible();
    await other.click(ken.getByRole("button", { name: "Approve and apply" }));
    other.needed("approve");
    await expect(ken.getByText(/dev is now version/)).toBeVisible();
    await context.close();
    expect(await served(call, "dev", "guarded", { key: "ana" })).toBe("false");
  } finally {
    await call("PUT", rules, {});
  }
});

test("who lacks a permission is told which, and by whom it is given", async ({
  browser,
  server,
  call,
}) => {
  await flag(call, "untouchable", ["prod"]);
  const email = "rita@example.org";
  const made = await call<{ link: string }>("POST", "/invitations", {
    email,
    policies: ["reader"],
  });
  const link = new URL(made.link).hash.slice(1);
  await server.call("", "POST", "/links/follow", {
    link,
    name: "Rita",
    password: "sextant-compass-4",
  });
  const context = await browser.newContext();
  await enter(context, server, await server.signIn(email, "sextant-compass-4"));
  const page = await context.newPage();
  await page.goto(`${server.url}/default/demo/flags?q=untouchable`);
  await page.getByRole("button", { name: /untouchable in prod/ }).click();
  await expect(page.getByRole("dialog")).toContainText("You lack the permission flag.turnOff");
  const button = page.getByRole("button", { name: "Turn off in prod" });
  await expect(button).toHaveAttribute("aria-disabled", "true");
  await button.click({ force: true });
  expect(await served(call, "prod", "untouchable", { key: "ana" })).toBe("true");
  await context.close();
});
