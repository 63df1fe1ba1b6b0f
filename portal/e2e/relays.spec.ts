import type { Page } from "@playwright/test";
import { joined } from "./joined.ts";
import { Relay } from "./relay.ts";
import { enter, expect, flag, test } from "./test.ts";

const RELAYS = "/default/settings/relays";

/** What is listed of a relay or a key, as it is told of it. */
const row = (page: Page, table: string, name: string) =>
  page.getByRole("region", { name: table, exact: true }).getByRole("row").filter({ hasText: name });

const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

test("a key is made, a relay starts with the command, and is cut off with the key", async ({
  owner,
  server,
  call,
}) => {
  await owner.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await owner.goto(`${server.url}/default/demo/flags`);
  await owner.keyboard.press("Control+k");
  await owner.getByRole("dialog").getByRole("combobox").fill("Relays");
  await owner
    .getByRole("dialog")
    .getByRole("option", { name: /Relays/ })
    .click();
  await expect(owner.getByRole("heading", { name: "No relay yet" })).toBeVisible();

  await owner.getByRole("button", { name: "New relay key" }).click();
  await owner.getByLabel("Name").fill("Edge");
  await owner.getByRole("radio", { name: /Chosen environments/ }).check();
  const create = owner.getByRole("button", { name: "Create the relay key" });
  await expect(create).toHaveAttribute("title", "Choose at least one environment");
  await owner.getByRole("checkbox", { name: /demo\/prod/ }).check();
  await create.click();
  await expect(owner.getByText("The key is shown this once.")).toBeVisible();
  await owner.getByRole("button", { name: "Copy the command" }).click();
  await expect(owner.getByRole("button", { name: "Copied" })).toBeVisible();
  const command = await copied(owner);
  expect(command).toMatch(/^burgee relay --upstream http:\S+ --key rp-\S+$/);
  await owner.getByRole("button", { name: "Done" }).click();
  await expect(row(owner, "Relay keys", "Edge")).toContainText("demo/prod");
  await expect(row(owner, "Relay keys", "Edge")).toContainText("by Owner");
  await expect(owner.getByText("No relay was connected in the last 30 days.")).toBeVisible();

  const relay = await Relay.start(command, "harbor");
  try {
    const harbor = row(owner, "Relays", "harbor");
    await expect(harbor).toContainText("Connected", { timeout: 30_000 });
    await expect(harbor).toContainText("Edge");
    // How far it is, it says about every fifteen seconds.
    await expect(harbor).toContainText("up to date", { timeout: 40_000 });
    await flag(call, "through-relays", ["prod"]);

    await owner.getByRole("button", { name: "More about Edge" }).click();
    await owner.getByRole("menuitem", { name: "Revoke" }).click();
    const asked = owner.getByRole("dialog", { name: "Revoke Edge" });
    await expect(asked).toContainText("1 connected relay is disconnected at once");
    await expect(asked).toContainText("go on serving what they have");
    await asked.getByLabel(/Type/).fill("Edge");
    await asked.getByRole("button", { name: "Revoke Edge" }).click();
    await expect(owner.getByText("Edge is revoked")).toBeVisible();
    await expect(harbor).toContainText("Last seen", { timeout: 30_000 });
    await expect(row(owner, "Relay keys", "Edge")).toHaveCount(0);
    await owner.getByRole("button", { name: "Remove harbor" }).click();
    await expect(owner.getByText("harbor is removed from the list")).toBeVisible();
    await expect(harbor).toHaveCount(0);
  } finally {
    await relay.stop();
  }
  await owner.getByRole("button", { name: "Show 1 revoked key" }).click();
  await expect(row(owner, "Revoked relay keys", "Edge")).toContainText("Revoked");
});

test("a key gets another name, other environments and another secret", async ({
  owner,
  server,
  call,
}) => {
  await owner.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const body = { name: "North", description: "", scope: { all: true } };
  const key = await call<{ id: string; secret: string }>("POST", "/relay-keys", body);
  await owner.goto(server.url + RELAYS);
  await expect(row(owner, "Relay keys", "North")).toContainText("all environments");
  await owner.getByRole("button", { name: "Edit North" }).click();
  await owner.getByLabel("Name").fill("South");
  await owner.getByRole("radio", { name: /Chosen environments/ }).check();
  await owner.getByRole("checkbox", { name: /demo\/dev/ }).check();
  // Somebody else is quicker: nothing is lost, and nothing of theirs is overwritten unseen.
  await call("PATCH", `/relay-keys/${key.id}`, { description: "In the attic" });
  await owner.getByRole("button", { name: "Save North" }).click();
  await owner.getByRole("button", { name: "Load again" }).click();
  await expect(owner.getByLabel("Description")).toHaveValue("In the attic");
  await owner.getByRole("button", { name: "Save North" }).click();
  await expect(owner.getByText("South is saved")).toBeVisible();
  await expect(row(owner, "Relay keys", "South")).toContainText("demo/dev");
  await expect(row(owner, "Relay keys", "South")).toContainText("In the attic");

  await owner.getByRole("button", { name: "More about South" }).click();
  await owner.getByRole("menuitem", { name: "Rotate" }).click();
  await owner.getByLabel("The former secret works on").selectOption({ label: "for 7 days" });
  await owner.getByRole("button", { name: "Make a new secret" }).click();
  await expect(owner.getByText(/The former one works until/)).toBeVisible();
  await owner.getByRole("button", { name: "Copy the key" }).click();
  await expect(owner.getByRole("button", { name: "Copied" })).toBeVisible();
  const secret = await copied(owner);
  expect(secret).toMatch(/^rp-/);
  expect(secret).not.toBe(key.secret);
  await owner.getByRole("button", { name: "Done" }).click();
  await expect(row(owner, "Relay keys", "South")).toContainText("The former secret works until");

  // Keys come and go by themselves where somebody looks.
  await call("DELETE", `/relay-keys/${key.id}`);
  await expect(row(owner, "Relay keys", "South")).toHaveCount(0);
});

test("whoever may not see relays is told whom to ask", async ({ browser, server, call }) => {
  const cookie = await joined(call, server, "Rea", {
    email: "rea@example.org",
    policies: ["reader"],
  });
  const context = await browser.newContext();
  await enter(context, server, cookie);
  const page = await context.newPage();
  await page.goto(server.url + RELAYS);
  await expect(page.getByRole("alert")).toContainText("relayKey.read");
  await expect(page.getByRole("alert")).toContainText("Owner can grant it");
  await context.close();
});
