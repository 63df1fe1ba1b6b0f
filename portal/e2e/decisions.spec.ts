import { joined } from "./joined.ts";
import { asks } from "./ofrep.ts";
import { secretOf } from "./stream.ts";
import { enter, expect, flag, test } from "./test.ts";

const DEV = "/default/demo/decisions/dev";

test("what users are given is logged from the moment on that somebody says so", async ({
  owner,
  server,
  call,
}) => {
  await flag(call, "decided-cart", ["dev"]);
  const secret = await secretOf(call, "demo", "dev", "client");
  await owner.goto(server.url + DEV);
  await expect(owner.getByText("What users of dev are given is not logged.")).toBeVisible();
  await expect(owner.getByText("Nothing was logged in dev yet")).toBeVisible();

  await owner.getByRole("link", { name: "Log it" }).click();
  const share = owner.getByLabel("Percentage of users whose decisions are logged");
  const save = owner.getByRole("button", { name: "Save dev" });
  await share.fill("100.5");
  await save.click();
  await expect(owner.getByText("A number from 0 to 100")).toBeVisible();
  await share.fill("100");
  await save.click();
  await expect(owner.getByText("dev is saved")).toBeVisible();
  await owner.getByRole("link", { name: "See what was logged" }).click();
  await expect(owner.getByText("Logged of all users.")).toBeVisible();

  await asks(server, secret, "decided-cart", { targetingKey: "ana", plan: "pro" });
  await asks(server, secret, "decided-cart", { targetingKey: "ben", plan: "pro" });
  const logged = () =>
    call<{ items: object[] }>("GET", "/projects/demo/environments/dev/decisions");
  await expect.poll(async () => (await logged()).items.length).toBe(2);
  await owner.getByRole("button", { name: "Look again" }).click();
  const row = owner.getByRole("listitem").filter({ hasText: "ana got true of decided-cart" });
  await expect(row).toContainText("OFREP · version");
  await expect(row).toContainText("everybody else");
  await expect(row).toContainText("The explanation says the same.");

  await owner.getByLabel("User key").fill("ana");
  await expect(owner).toHaveURL(/\?user=ana$/);
  await expect(owner.getByText("ben got true of decided-cart")).toHaveCount(0);
  await expect(row).toBeVisible();
  await owner.getByLabel("Flag key").fill("another");
  await expect(owner.getByText("No decision matches")).toBeVisible();
  await owner.getByRole("button", { name: "Clear the filter" }).first().click();
  await expect(owner.getByText("ben got true of decided-cart")).toBeVisible();

  await row.getByRole("link", { name: "Why: decided-cart" }).click();
  const why = owner.getByRole("region", { name: "Who gets what, and why" });
  await expect(why).toContainText("ana gets");
  expect(new URL(owner.url()).searchParams.get("version")).not.toBeNull();
});

test("decisions are found from the users, from one of them, and by name", async ({
  owner,
  server,
}) => {
  await owner.goto(`${server.url}/default/demo/users/dev`);
  await owner.getByRole("link", { name: "Decisions" }).click();
  await expect(owner).toHaveURL(server.url + DEV);
  await owner.getByRole("link", { name: "ana", exact: true }).click();
  await owner.getByRole("link", { name: "Decisions" }).click();
  await expect(owner).toHaveURL(`${server.url}${DEV}?user=ana`);
  await owner.keyboard.press("Control+k");
  await owner.getByRole("dialog").getByRole("combobox").fill("decisions in pro");
  await expect(owner.getByRole("option").first()).toContainText("Decisions in prod");
});

test("who may not see users is told so here too", async ({ browser, server, call }) => {
  const invited = { email: "ruth@example.org", policies: ["reader"] };
  const context = await browser.newContext();
  await enter(context, server, await joined(call, server, "Ruth", invited));
  const page = await context.newPage();
  await page.goto(server.url + DEV);
  const lacks = /You lack the permission user.read on project\/demo:env\/dev/;
  await expect(page.getByRole("alert")).toContainText(lacks);
  await context.close();
});
