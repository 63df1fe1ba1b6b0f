import type { Page } from "@playwright/test";
import { joined } from "./joined.ts";
import { enter, expect, test } from "./test.ts";

const SETTINGS = "/default/settings";

test("a policy is written in sentences, given, and tested", async ({ owner, server, call }) => {
  await joined(call, server, "Paul", { email: "paul@example.org", policies: ["reader"] });
  await owner.goto(`${server.url}${SETTINGS}/policies`);
  await owner.getByRole("button", { name: "New policy" }).click();
  await owner.getByLabel("Name", { exact: true }).fill("Switch in dev");
  await expect(owner.getByLabel("Key")).toHaveValue("switch-in-dev");
  await owner.getByRole("button", { name: "Create the policy" }).click();
  await expect(owner.getByRole("heading", { name: "Switch in dev" })).toBeVisible();
  await owner.getByRole("button", { name: "Add a statement" }).click();
  await pattern(owner, "Actions of statement 2", "flag.turnOn");
  await pattern(owner, "Resources of statement 2", "project/demo:env/dev:flag/*");
  await expect(owner.getByRole("button", { name: "Remove turn flags on" })).toBeVisible();
  await expect(
    owner.getByRole("button", { name: "Remove every flag in dev of demo" }),
  ).toBeVisible();
  await owner.getByRole("button", { name: "Save switch-in-dev" }).click();
  await expect(owner.getByText(/is saved: it holds at once/)).toBeVisible();

  await owner.goto(`${server.url}${SETTINGS}/members?q=paul`);
  await owner.getByRole("row").getByRole("link", { name: "Paul" }).click();
  const verdict = owner.getByRole("status").filter({ hasText: "Paul may" });
  await owner
    .getByRole("combobox", { name: "On", exact: true })
    .fill("project/demo:env/dev@unprotected:flag/theme");
  await expect(verdict).toContainText("Paul may not turn flags on");
  await expect(verdict).toContainText("No statement of theirs allows it.");
  await owner.getByRole("checkbox", { name: /Switch in dev/ }).check();
  await owner.getByRole("button", { name: "Save what Paul has" }).click();
  await expect(verdict).toContainText("Paul may turn flags on: theme in dev of demo.");
  await verdict.getByRole("link", { name: "Switch in dev" }).click();
  await expect(owner.getByRole("link", { name: "Paul" })).toBeVisible();
  // Who has it keeps it from being deleted.
  await owner.getByRole("button", { name: "Delete" }).click();
  await owner.getByLabel(/Type switch-in-dev/).fill("switch-in-dev");
  await owner.getByRole("button", { name: "Delete switch-in-dev" }).click();
  await expect(owner.getByRole("dialog").getByRole("alert")).toBeVisible();
});

test("another's edit of a policy is not overwritten unseen", async ({ owner, server, call }) => {
  const statements = [{ effect: "allow", actions: ["*.read"], resources: ["*"] }];
  await call("POST", "/policies", { key: "shared", name: "Shared", statements });
  await owner.goto(`${server.url}${SETTINGS}/policies/shared`);
  await owner.getByLabel("Name", { exact: true }).fill("Mine");
  await call("PUT", "/policies/shared", { name: "Theirs", description: "by Ken", statements });
  await owner.getByRole("button", { name: "Save shared" }).click();
  await expect(owner.getByRole("alert")).toContainText("Somebody changed this");
  await owner.getByRole("button", { name: "Load again" }).click();
  await expect(owner.getByLabel("Description")).toHaveValue("by Ken");
  await expect(owner.getByLabel("Name", { exact: true })).toHaveValue("Mine");
  await owner.getByRole("button", { name: "Save shared" }).click();
  await expect(owner.getByRole("heading", { name: "Mine" })).toBeVisible();
});

test("an edit of a policy is tried before it is saved", async ({ owner, server, call }) => {
  const statements = [{ effect: "allow", actions: ["*.read"], resources: ["*"] }];
  await call("POST", "/policies", { key: "tried", name: "Tried", statements });
  await joined(call, server, "Tess", { email: "tess@example.org", policies: ["tried"] });
  await owner.goto(`${server.url}${SETTINGS}/policies/tried`);
  // Who has it is asked about first.
  const verdict = owner.getByRole("status").filter({ hasText: "Tess may" });
  await expect(verdict).toContainText("Tess may not turn flags on");
  await owner.getByRole("button", { name: "Add a statement" }).click();
  await owner.getByRole("button", { name: "Add a statement" }).click();
  await pattern(owner, "Actions of statement 3", "flag.turnOn");
  await pattern(owner, "Resources of statement 3", "*");
  await expect(verdict).toContainText("Tess may turn flags on");
  await expect(verdict).toContainText("Statement 3");
  await expect(owner.getByText("as if they were saved")).toBeVisible();
  // Nothing of it holds yet.
  await owner.reload();
  await expect(verdict).toContainText("Tess may not turn flags on");
});

test("who may see little is led to what they may see, and told the rest", async ({
  browser,
  server,
  call,
}) => {
  const cookie = await joined(call, server, "Lena", { email: "lena@example.org", policies: [] });
  const context = await browser.newContext({ locale: "ja" });
  await enter(context, server, cookie);
  const page = await context.newPage();
  await page.goto(`${server.url}${SETTINGS}`);
  await expect(page).toHaveURL(/settings\/profile$/);
  await page.goto(`${server.url}${SETTINGS}/general`);
  const alert = page.getByRole("alert");
  await expect(alert).toContainText("organization.read");
  await expect(alert).toContainText("Owner");
  await expect(alert).not.toContainText(/lack|permission/);
  await context.close();
});

test("a service token has statements of its own", async ({ owner, server, call }) => {
  await owner.goto(`${server.url}${SETTINGS}/tokens`);
  await owner.getByRole("button", { name: "New token" }).click();
  await owner.getByLabel("Name", { exact: true }).fill("looks only");
  await owner.getByLabel("Acts as").selectOption("service");
  await owner.getByRole("button", { name: "Add a statement" }).click();
  await pattern(owner, "Actions of statement 1", "project.read");
  await pattern(owner, "Resources of statement 1", "project/demo");
  await owner.getByRole("button", { name: "Create the token" }).click();
  const token =
    (await owner
      .getByRole("dialog")
      .getByText(/^bgs?t?_/)
      .textContent()) ?? "";
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${server.url}/api/v1/projects`, { headers });
  const { items } = (await answer.json()) as { items: { key: string }[] };
  expect(items.map((it) => it.key)).toEqual(["demo"]);
  await owner.getByRole("dialog").getByRole("button", { name: "Done" }).click();
  await expect(owner.getByRole("row").filter({ hasText: "looks only" })).toContainText(
    "1 statement of its own",
  );
  const { items: all } = await call<{ items: { id: string; name: string }[] }>("GET", "/tokens");
  const id = all.find((it) => it.name === "looks only")?.id ?? "";
  await call("DELETE", `/tokens/${id}`);
});

async function pattern(page: Page, label: string, text: string) {
  await page.getByLabel(label).fill(text);
  await page.getByLabel(label).press("Enter");
}
