import type { Page } from "@playwright/test";
import { OWNER } from "./server.ts";
import { enter, expect, flag, served, test } from "./test.ts";

const FLAG = "/default/demo/flags/revoked/prod";

/** All sessions but the one that asks. */
async function revoke(call: <T>(method: string, route: string) => Promise<T>) {
  const { items } = await call<{ items: { id: string; current: boolean }[] }>(
    "GET",
    "/me/sessions",
  );
  await Promise.all(
    items.filter((it) => !it.current).map((it) => call("DELETE", `/me/sessions/${it.id}`)),
  );
}

async function target(page: Page, key: string) {
  await page.getByLabel("Users who get false in prod").fill(key);
  await page.getByLabel("Users who get false in prod").press("Enter");
}

test("a session that is revoked in the middle of an edit loses nothing, in no tab", async ({
  owner,
  server,
  call,
}) => {
  await flag(call, "revoked", ["prod"]);
  await enter(owner.context(), server, await server.signIn());
  await owner.goto(server.url + FLAG);
  await target(owner, "ana");
  await expect(owner.getByRole("button", { name: "Apply to prod" })).toBeVisible();
  const second = await owner.context().newPage();
  await second.goto(server.url + FLAG);
  await expect(second.getByRole("button", { name: "Remove ana" })).toBeVisible();

  await revoke(call);
  // One goes on all the same.
  await target(owner, "ben");
  const again = owner.getByRole("dialog", { name: "Your session ended" });
  await expect(again).toBeVisible();
  await again.getByLabel("Password").fill(OWNER.password);
  await again.getByRole("button", { name: "Sign in" }).click();
  await expect(again).toBeHidden();
  await expect(owner.getByRole("button", { name: "Remove ana" })).toBeVisible();
  await expect(owner.getByRole("button", { name: "Remove ben" })).toBeVisible();

  // The other tab has both edits, and asks for nothing any more.
  await second.bringToFront();
  await second.evaluate(() => dispatchEvent(new Event("focus")));
  await expect(second.getByRole("dialog", { name: "Your session ended" })).toBeHidden();
  await expect(second.getByRole("button", { name: "Remove ben" })).toBeVisible();
  await second.getByRole("button", { name: "Apply to prod" }).click();
  await expect(second.getByText(/prod is now version/)).toBeVisible();
  expect(await served(call, "prod", "revoked", { key: "ana" })).toBe("false");
  expect(await served(call, "prod", "revoked", { key: "ben" })).toBe("false");
});
