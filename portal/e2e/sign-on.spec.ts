/** Single sign-on by the portal's own pages, at a real OpenID provider. */
import type { Page } from "@playwright/test";
import { PASSWORD, joined } from "./joined.ts";
import { startProvider } from "./provider.ts";
import { enter, expect, test, watch } from "./test.ts";

const SETTINGS = "/default/settings/sign-in";

/** What somebody does at the provider. */
async function atProvider(page: Page, issuer: string, name: string) {
  await page.waitForURL((url) => url.origin === issuer);
  await page.locator("input[name=login]").fill(name);
  await page.locator("input[name=password]").fill("any");
  await page.locator("button[type=submit]").click();
  await page.waitForURL((url) => url.origin !== issuer || url.pathname.startsWith("/interaction"));
  if (new URL(page.url()).origin === issuer) {
    // And agrees that the server may know who they are.
    await page.locator("button[type=submit]").click();
  }
}

async function signOut(page: Page, name: string) {
  await page.getByRole("button", { name }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
}

test("sign-in is set, and members come in by the provider", async ({ browser, server, call }) => {
  test.setTimeout(120_000);
  const provider = await startProvider(`${server.url}/api/v1/session/oidc`);
  provider.people["olga"] = { email: "olga@sso.example", email_verified: true, name: "Olga" };
  provider.people["nils"] = { email: "nils@sso.example", email_verified: true, name: "Nils" };
  provider.people["eve"] = { email: "eve@elsewhere.example", email_verified: true };
  const email = "olga@sso.example";
  const cookie = await joined(call, server, "Olga", { email, policies: ["owner"] });
  const context = await browser.newContext();
  await enter(context, server, cookie);
  const page = await context.newPage();
  const wrong = watch(page);
  try {
    await page.goto(server.url + SETTINGS);
    await expect(page.getByText(`${server.url}/api/v1/session/oidc`)).toBeVisible();
    await page.getByLabel("Issuer").fill(provider.issuer);
    await page.getByLabel("Client id").fill(provider.client.id);
    await page.getByLabel("Client secret").fill(provider.client.secret);
    await page.getByLabel("Domains that may join by themselves").fill("sso.example");
    await page.getByRole("checkbox", { name: /Reader/ }).check();
    await page.getByRole("button", { name: "Save the sign-in" }).click();
    await expect(page.getByText("The sign-in is saved")).toBeVisible();
    // The secret is not shown again.
    await expect(page.getByLabel("Client secret")).toHaveValue("");
    await expect(page.getByText("There is one. Empty, it stays.")).toBeVisible();

    await page.goto(`${server.url}/default/demo/flags`);
    await signOut(page, "Olga");
    await page.getByRole("button", { name: "Single sign-on" }).click();
    await page.getByLabel("Organization").fill("default");
    await page.getByRole("button", { name: "Go to the provider" }).click();
    await atProvider(page, provider.issuer, "olga");
    await expect(page).toHaveURL(/\/default\/demo\/flags/);
    await expect(page.getByRole("button", { name: "Olga" })).toBeVisible();
    // With all that she may, and the password still holds.
    await page.goto(server.url + SETTINGS);
    await expect(page.getByLabel("Issuer")).toHaveValue(provider.issuer);
    await server.signIn(email, PASSWORD);

    // Who was never here joins, and comes to the page that was asked for.
    const fresh = await browser.newContext();
    const nils = await fresh.newPage();
    await nils.goto(`${server.url}/default/demo/flags?q=theme`);
    await nils.getByRole("button", { name: "Single sign-on" }).click();
    await expect(nils.getByLabel("Organization")).toHaveValue("default");
    await nils.getByRole("button", { name: "Go to the provider" }).click();
    await atProvider(nils, provider.issuer, "nils");
    await expect(nils).toHaveURL(`${server.url}/default/demo/flags?q=theme`);
    await expect(nils.getByRole("button", { name: "Nils" })).toBeVisible();

    // Without a password, a session that ended is begun again beside the page.
    await fresh.clearCookies();
    await nils.getByRole("link", { name: "Theme" }).click();
    const ended = nils.getByRole("dialog", { name: "Your session ended" });
    const opened = fresh.waitForEvent("page");
    await ended.getByRole("link", { name: "Single sign-on, in another tab" }).click();
    const tab = await opened;
    await atProvider(tab, provider.issuer, "nils");
    await expect(tab.getByRole("button", { name: "Nils" })).toBeVisible();
    await tab.close();
    await nils.bringToFront();
    await nils.evaluate(() => dispatchEvent(new Event("focus")));
    await expect(ended).toBeHidden();
    await expect(nils.getByRole("heading", { name: "Theme" })).toBeVisible();
    await fresh.close();

    // Who may not come is told why, where they can go on.
    const other = await browser.newContext();
    const eve = await other.newPage();
    await eve.goto(`${server.url}/sign-in`);
    await eve.getByRole("button", { name: "Single sign-on" }).click();
    await eve.getByLabel("Organization").fill("default");
    await eve.getByRole("button", { name: "Go to the provider" }).click();
    await atProvider(eve, provider.issuer, "eve");
    await expect(eve).toHaveURL(/sign-in\?error=notAMember/);
    await expect(eve.getByRole("alert")).toBeVisible();
    await other.close();
    expect(wrong).toEqual([]);
  } finally {
    await call("DELETE", "/organization/sign-in").catch(() => undefined);
    await context.close();
    await provider.stop();
  }
});
