import { Hand } from "./hand.ts";
import { PASSWORD, joined } from "./joined.ts";
import { enter, expect, flag, test } from "./test.ts";
import { code } from "./totp.ts";

const SETTINGS = "/default/settings";

test("somebody is invited with a sentence, joins, and sees what is allowed", async ({
  owner,
  browser,
  server,
  call,
}) => {
  await flag(call, "limited", ["prod", "dev"]);
  // Where environments are protected, it is these that the sentence is about.
  const prodOfDemo = "/projects/demo/environments/prod";
  await call("PATCH", prodOfDemo, { protected: true });
  await owner.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await owner.goto(`${server.url}/default/demo/flags`);
  await expect(owner.getByRole("link", { name: /Theme/ })).toBeVisible();
  const hand = new Hand(owner);
  await hand.click(owner.getByRole("link", { name: "Settings" }));
  await hand.click(owner.getByRole("link", { name: "Members" }));
  await hand.click(owner.getByRole("button", { name: "Invite" }));
  await hand.type(owner.getByLabel("E-mails"), "nora@example.org");
  await hand.click(owner.getByRole("radio", { name: /switch flags in/ }));
  await hand.click(owner.getByRole("button", { name: "Invite and copy the link" }));
  hand.needed("invite");
  await expect(owner.getByText("The link is copied.")).toBeVisible();
  const link = await owner.evaluate(() => navigator.clipboard.readText());
  await owner.getByRole("button", { name: "Done" }).click();
  await expect(owner.getByRole("region", { name: "Open invitations" }).first()).toContainText(
    "nora@example.org",
  );

  const context = await browser.newContext();
  const nora = await context.newPage();
  // The link names the server as it is known outside.
  await nora.goto(`${server.url}/link${new URL(link).hash}`);
  await nora.getByLabel("Your name").fill("Nora");
  await nora.getByLabel("New password").fill(PASSWORD);
  await nora.getByRole("button", { name: "Join" }).click();
  await expect(nora.getByRole("link", { name: "Settings" })).toBeVisible();
  await nora.goto(`${server.url}/default/demo/flags?q=limited`);
  await nora.getByRole("button", { name: /limited in prod/ }).click();
  const prod = nora.getByRole("dialog");
  await expect(prod.getByRole("button", { name: "Turn off in prod" })).not.toHaveAttribute(
    "aria-disabled",
  );
  // A percentage is more than switching.
  await prod.getByLabel(/Percent that get/).fill("10");
  await expect(prod).toContainText("flag.setDefaultRule");
  await expect(prod).toContainText("Owner can grant it");
  await nora.goto(`${server.url}${SETTINGS}/policies`);
  await expect(nora.getByRole("heading", { name: "You may not see the policies" })).toBeVisible();
  await nora.goto(`${server.url}${SETTINGS}/members`);
  const invite = nora.getByRole("button", { name: "Invite", exact: true });
  await expect(invite).toHaveAttribute("aria-disabled", "true");
  await expect(invite).toHaveAttribute("title", /member\.invite.*Owner can grant it/);
  await context.close();
  await call("PATCH", prodOfDemo, { protected: false });
});

test("a second factor is set up, and its recovery code signs in", async ({
  browser,
  server,
  call,
}) => {
  const email = "tina@example.org";
  const cookie = await joined(call, server, "Tina", { email, policies: ["reader"] });
  const context = await browser.newContext();
  await enter(context, server, cookie);
  const page = await context.newPage();
  await page.goto(`${server.url}${SETTINGS}/security`);
  await page.getByRole("button", { name: "Set up a second factor" }).click();
  await expect(page.getByRole("img", { name: /QR code/ })).toBeVisible();
  const seed = (await page.getByText(/^([A-Z2-7]{4} ?)+$/).textContent()) ?? "";
  await page.getByLabel("Code of the app").fill(code(seed.replaceAll(" ", "")));
  await page.getByLabel("Current password").first().fill(PASSWORD);
  await page.getByRole("button", { name: "Turn on the second factor" }).click();
  const codes = page.getByRole("list", { name: "Recovery codes" }).getByRole("listitem");
  await expect(codes).toHaveCount(10);
  const [first = ""] = await codes.allTextContents();
  await page.getByRole("button", { name: "I have kept them" }).click();
  await expect(page.getByText("Signing in asks for a code of your app.")).toBeVisible();

  await context.clearCookies();
  await page.goto(server.url);
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByLabel("Code").fill(first);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("link", { name: "Settings" })).toBeVisible();
  await context.close();
});

test("a token works until it is revoked", async ({ owner, server }) => {
  await owner.goto(`${server.url}${SETTINGS}/tokens`);
  await owner.getByRole("button", { name: "New token" }).click();
  await owner.getByLabel("Name", { exact: true }).fill("pipeline");
  await owner.getByRole("button", { name: "Create the token" }).click();
  const token = (await owner.getByRole("dialog").getByText(/^bgt_/).textContent()) ?? "";
  const headers = { authorization: `Bearer ${token}` };
  const projects = () => fetch(`${server.url}/api/v1/projects`, { headers });
  expect((await projects()).status).toBe(200);
  await owner.getByRole("dialog").getByRole("button", { name: "Done" }).click();
  await owner.getByRole("button", { name: "Revoke pipeline" }).click();
  const dialog = owner.getByRole("dialog");
  await dialog.getByLabel(/Type pipeline/).fill("pipeline");
  await dialog.getByRole("button", { name: "Revoke pipeline" }).click();
  await expect(owner.getByText("pipeline is revoked")).toBeVisible();
  expect((await projects()).status).toBe(401);
});

test("a session elsewhere is ended", async ({ browser, server, call }) => {
  const email = "sam@example.org";
  const here = await joined(call, server, "Sam", { email, policies: ["reader"] });
  const elsewhere = await server.signIn(email, PASSWORD);
  const context = await browser.newContext();
  await enter(context, server, here);
  const page = await context.newPage();
  await page.goto(`${server.url}${SETTINGS}/security`);
  await expect(page.getByText("this one", { exact: true })).toHaveCount(1);
  await page.getByRole("button", { name: /^End the \d+ other|^End the other/ }).click();
  await expect(page.getByRole("button", { name: /^End the/ })).toHaveCount(0);
  await expect(server.call(elsewhere, "GET", "/session")).rejects.toThrow("401");
  await server.call(here, "GET", "/session");
  await context.close();
});

test("a group gives its members what it has", async ({ owner, server, call }) => {
  await joined(call, server, "Greta", { email: "greta@example.org", policies: [] });
  await owner.goto(`${server.url}${SETTINGS}/groups`);
  await owner.getByRole("button", { name: "New group" }).click();
  await owner.getByLabel("Name", { exact: true }).fill("Gardeners");
  await owner.getByRole("checkbox", { name: /Developer/ }).check();
  await owner.getByRole("button", { name: "Create the group" }).click();
  await owner.getByLabel("Add a member").fill("greta@example.org");
  await owner.getByRole("option", { name: /Greta/ }).click();
  await expect(owner.getByRole("link", { name: "Greta" })).toBeVisible();
  const cookie = await server.signIn("greta@example.org", PASSWORD);
  const body = { commands: [{ kind: "createFlag", flag: "by-greta", type: "boolean" }] };
  await server.call(cookie, "POST", "/projects/demo/changes", body);
});

test("whoever goes on before the first page is chosen is not led back", async ({
  owner,
  server,
}) => {
  const gate = () => {
    let open = () => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    return { open, opened };
  };
  const answers = gate();
  const scripts = gate();
  await owner.goto(`${server.url}/default/demo/flags`);
  await expect(owner.getByRole("link", { name: /Theme/ })).toBeVisible();
  await owner.route("**/api/v1/permissions", async (route) => {
    await answers.opened;
    await route.fallback();
  });
  await owner.getByRole("link", { name: "Settings" }).click();
  const members = owner.getByRole("link", { name: "Members" });
  await expect(members).toBeVisible();
  // The page that is gone to takes longer than the answer that the first one waits for.
  await owner.route("**/assets/*.js", async (route) => {
    await scripts.opened;
    await route.fallback();
  });
  await members.click();
  await expect(owner).toHaveURL(/settings\/members$/);
  const answered = owner.waitForResponse("**/api/v1/permissions");
  answers.open();
  await answered;
  scripts.open();
  await expect(owner.getByRole("button", { name: "Invite", exact: true })).toBeVisible();
});
