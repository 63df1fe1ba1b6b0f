import type { Page } from "@playwright/test";
import { Hand } from "./hand.ts";
import { expect, flag, served, test } from "./test.ts";

const HOME = "/default/demo/flags";

/** A project of its own, with flags of these keys. */
async function project(
  call: <T>(method: string, route: string, body?: unknown) => Promise<T>,
  key: string,
  flags: string[],
  environments = ["dev", "prod"],
): Promise<string> {
  await call("POST", "/projects", { key });
  for (const environment of environments) {
    await call("POST", `/projects/${key}/environments`, { key: environment });
  }
  for (let from = 0; from < flags.length; from += 500) {
    const commands = flags.slice(from, from + 500).map((flag, index) => ({
      kind: "createFlag",
      flag,
      type: "boolean",
      tags: [`team-${(from + index) % 20}`],
    }));
    await call("POST", `/projects/${key}/changes`, { commands });
  }
  return `/default/${key}/flags`;
}

const row = (page: Page, key: string) =>
  page.getByRole("row").filter({ has: page.getByRole("link", { name: key, exact: true }) });

test("what somebody changed is seen beside the list, and reverted", async ({
  owner,
  server,
  call,
}) => {
  await flag(call, "mistake", ["prod"]);
  await call("POST", "/projects/demo/changes", {
    commands: [{ kind: "turnOff", flag: "mistake", environment: "prod" }],
  });
  await owner.goto(server.url + HOME);
  const hand = new Hand(owner);
  await hand.click(row(owner, "mistake").getByRole("link", { name: /ago|now/ }));
  const panel = owner.getByRole("dialog", { name: "Change" });
  await expect(panel).toContainText("mistake turned off");
  await hand.click(panel.getByRole("button", { name: "Revert" }));
  const plan = owner.getByRole("dialog", { name: "Going back" });
  await expect(plan).toContainText("turned on");
  await hand.click(plan.getByRole("button", { name: "Revert" }));
  hand.needed("revert");
  await expect(owner.getByText(/prod is now version/)).toBeVisible();
  expect(await served(call, "prod", "mistake", { key: "ana" })).toBe("true");
  // It has an address, and Back closes it.
  expect(owner.url()).toMatch(/\?change=\d+$/);
  await owner.goBack();
  await expect(panel).toBeHidden();
});

test("stale flags are one press away, and ten are archived in four", async ({
  owner,
  server,
  call,
}) => {
  const keys = Array.from({ length: 10 }, (_, index) => `old-${index}`);
  const home = await project(call, "dusty", [...keys]);
  await call("PATCH", "/projects/dusty", { staleDays: 1 });
  await owner.route("**/flag-index*", async (route) => {
    // Nothing here is a day old: the server's answer, a day later.
    try {
      const answer = await route.fetch();
      const body = (await answer.json()) as { items: { stale: unknown }[] };
      for (const item of body.items) item.stale = { code: "notEvaluated" };
      await route.fulfill({ response: answer, json: body });
    } catch {
      // Asked for again meanwhile: nobody waits for this answer.
      await route.abort().catch(() => undefined);
    }
  });
  await owner.goto(server.url + home);
  await expect(owner.getByRole("link", { name: "old-0" })).toBeVisible();
  const hand = new Hand(owner);
  await hand.click(owner.getByRole("link", { name: "Stale · 10" }));
  await expect(owner.getByText("No program ever asked for it").first()).toBeVisible();
  hand.needed("findStale");
  await hand.click(owner.getByRole("checkbox", { name: "Select all 10" }));
  await expect(owner.getByText("10 selected")).toBeVisible();
  await hand.press("e");
  await expect(owner.getByText("10 changes", { exact: true })).toBeVisible();
  await hand.click(owner.getByRole("button", { name: "Apply", exact: true }));
  hand.needed("archiveTen");
  await expect(owner.getByText("Applied")).toBeVisible();
  await owner.unroute("**/flag-index*");
  const after = await call<{ items: unknown[] }>("GET", "/projects/dusty/flags?state=archived");
  expect(after.items).toHaveLength(10);
});
