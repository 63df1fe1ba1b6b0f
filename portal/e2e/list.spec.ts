import type { Page } from "@playwright/test";
import { Hand } from "./hand.ts";
import { evaluated, project } from "./project.ts";
import { expect, flag, served, test } from "./test.ts";

const HOME = "/default/demo/flags";

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
  const plan = owner.getByRole("dialog", { name: "After the revert" });
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

test("who archives flags is told which of them programs still ask for", async ({
  owner,
  server,
  call,
}) => {
  const home = await project(call, "asked-for", ["busy", "idle", "calm"]);
  const on = ["prod", "dev"].flatMap((environment) =>
    ["busy", "calm"].map((flag) => ({ kind: "turnOn", flag, environment })),
  );
  await call("POST", "/projects/asked-for/changes", { commands: on });
  await evaluated(call, server.url, "asked-for", "prod", { busy: 1_200, calm: 1 });
  await evaluated(call, server.url, "asked-for", "dev", { busy: 3 });
  // What programs tell is written some at a time.
  const archive = [{ kind: "archiveFlag", flag: "busy" }];
  const trial = async () => {
    const body = { commands: archive, dryRun: true };
    const { warnings } = await call<{ warnings: { params: { evaluations: string } }[] }>(
      "POST",
      "/projects/asked-for/changes",
      body,
    );
    return warnings[0]?.params.evaluations;
  };
  await expect.poll(trial).toBe("1203");
  await owner.goto(server.url + home);
  await expect(owner.getByRole("link", { name: "idle" })).toBeVisible();
  await owner.getByRole("checkbox", { name: "Select all 3" }).click();
  await owner.keyboard.press("e");
  const review = owner.getByRole("region", { name: "Changes that are not applied" });
  // Beside the button that does it.
  await expect(review).toContainText(
    "Still asked for in the last 7 days: busy (1,203 times in prod and dev) and calm (1 time in prod)",
  );
  await review.getByRole("button", { name: "Review", exact: true }).click();
  const warnings = review.getByRole("list", { name: "Warnings" });
  await expect(warnings.getByRole("listitem")).toHaveCount(2);
  await expect(warnings).toContainText(
    /calm was evaluated 1 time in the last 7 days, last .* in prod/,
  );

  // One flag alone: before it is put to the review.
  await owner.goto(`${server.url}${home}/busy/prod`);
  await owner.getByRole("button", { name: "Discard" }).click();
  await owner.getByRole("button", { name: "Archive" }).click();
  await expect(owner.getByRole("dialog")).toContainText("busy was evaluated 1,203 times");
});

test("many are turned on and tagged by keys, as one set", async ({ owner, server, call }) => {
  const home = await project(call, "many", ["a-one", "a-two", "b-three"]);
  await owner.goto(server.url + home);
  await owner.getByRole("link", { name: "a-one", exact: true }).focus();
  await owner.keyboard.press("x");
  await owner.keyboard.press("j");
  await expect(owner.getByRole("link", { name: "a-two", exact: true })).toBeFocused();
  await owner.keyboard.press("x");
  const bar = owner.getByRole("toolbar");
  await expect(bar).toContainText("2 selected");
  // A range with shift, from the row that was pressed last.
  await owner
    .getByRole("checkbox", { name: "Select b-three" })
    .click({ modifiers: ["Shift"], force: true });
  await expect(bar).toContainText("3 selected");
  await bar.getByRole("button", { name: "Tags …" }).click();
  await owner.getByRole("combobox", { name: "Tags …" }).fill("spring");
  await owner.keyboard.press("Enter");
  await owner.keyboard.press("Escape");
  await bar.getByRole("button", { name: "Turn on in …" }).click();
  await owner.getByRole("combobox", { name: "Turn on in …" }).fill("prod");
  await owner.keyboard.press("Enter");
  await expect(owner.getByText("6 changes", { exact: true })).toBeVisible();
  await owner.getByRole("button", { name: "Apply to prod" }).click();
  await expect(owner.getByText(/prod is now version/)).toBeVisible();
  await expect(owner.getByRole("button", { name: /a-two in prod: On/ })).toBeVisible();
  await expect(row(owner, "b-three").getByRole("link", { name: "spring" })).toBeVisible();
});

test("a view is saved, renamed and deleted", async ({ owner, server, call }) => {
  const home = await project(call, "viewed", ["one", "two"]);
  await owner.goto(`${server.url}${home}?tag=team-1`);
  await expect(owner.getByRole("link", { name: "two", exact: true })).toBeVisible();
  await expect(owner.getByRole("link", { name: "one", exact: true })).toBeHidden();
  const views = owner.getByRole("navigation", { name: "Views" });
  await views.getByRole("button", { name: "Save this view" }).click();
  await owner.getByRole("dialog").getByLabel("Name").fill("Team 1");
  await owner.keyboard.press("Enter");
  await expect(views.getByRole("link", { name: "Team 1" })).toHaveAttribute("aria-current", "page");
  await views.getByRole("link", { name: "All" }).click();
  await expect(owner.getByRole("link", { name: "one", exact: true })).toBeVisible();
  await owner.reload();
  await views.getByRole("link", { name: "Team 1" }).click();
  await views.getByRole("button", { name: "Edit the view Team 1" }).click();
  await owner.getByRole("dialog").getByLabel("Name").fill("First team");
  await owner.keyboard.press("Enter");
  await views.getByRole("button", { name: "Edit the view First team" }).click();
  await owner.getByRole("button", { name: "Delete the view" }).click();
  await expect(views.getByRole("link", { name: "First team" })).toBeHidden();
  expect(new URL(owner.url()).search).toBe("");
});

test("a key that is taken names the flag that has it; a flag is made like another", async ({
  owner,
  server,
  call,
}) => {
  const home = await project(call, "twins", ["cart"]);
  await call("POST", "/projects/twins/changes", {
    commands: [{ kind: "turnOn", flag: "cart", environment: "prod" }],
  });
  await owner.goto(`${server.url}${home}?create=true`);
  const panel = owner.getByRole("dialog", { name: "New flag" });
  await panel.getByLabel("Name", { exact: true }).fill("Cart");
  await expect(panel.getByRole("alert")).toContainText("There is a flag of this key already: cart");
  await expect(panel.getByLabel("Key")).toHaveAttribute("aria-invalid", "true");
  await expect(panel.getByRole("link", { name: "cart" })).toBeVisible();
  await owner.keyboard.press("Escape");
  await owner.getByRole("button", { name: "Actions for cart" }).click();
  await owner.getByRole("button", { name: "Duplicate …" }).click();
  const like = owner.getByRole("dialog", { name: "Duplicate cart" });
  await like.getByLabel("Key").fill("cart-2");
  await like.getByRole("checkbox", { name: "prod" }).check();
  await like.getByRole("button", { name: "Create cart-2" }).click();
  await expect(owner.getByRole("heading", { level: 1 })).toContainText("cart (copy)");
  const made = await call<{ environments: Record<string, { isEnabled: boolean }> }>(
    "GET",
    "/projects/twins/flags/cart-2",
  );
  expect(made.environments["prod"]?.isEnabled).toBe(true);
});

test("archived flags are deleted after typing a name", async ({ owner, server, call }) => {
  const home = await project(call, "gone", ["first", "second", "third"]);
  const archive = ["first", "second"].map((flag) => ({ kind: "archiveFlag", flag }));
  await call("POST", "/projects/gone/changes", { commands: archive });
  await owner.goto(`${server.url}${home}?archived=true`);
  await owner.getByRole("checkbox", { name: "Select all 2" }).click();
  await owner.getByRole("button", { name: "Delete …" }).click();
  const dialog = owner.getByRole("dialog", { name: "Delete 2 flags" });
  await dialog.getByLabel("Type gone to go on").fill("gone");
  await dialog.getByRole("button", { name: "Delete 2 flags" }).click();
  await expect(owner.getByText("No flag matches the filter")).toBeVisible();
});
