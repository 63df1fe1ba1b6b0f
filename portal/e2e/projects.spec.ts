import { Hand } from "./hand.ts";
import { enter, expect, test } from "./test.ts";

interface Keys {
  items: { id: string; kind: string; secret: string; revokedAt?: string; endsAt?: string }[];
}

/** Whether a key lets a program in. */
async function letsIn(url: string, secret: string): Promise<boolean> {
  const answer = await fetch(`${url}/api/public/sdk/server/latest-all`, {
    headers: { authorization: secret },
  });
  return answer.ok;
}

test.describe("SDK keys", () => {
  test.use({ permissions: ["clipboard-read", "clipboard-write"] });

  test("a key is rotated, and the old one works on for a day", async ({ owner, server, call }) => {
    await call("POST", "/projects", { key: "rotating", name: "Rotating" });
    await call("POST", "/projects/rotating/environments", { key: "prod", name: "Production" });
    const route = "/projects/rotating/environments/prod/sdk-keys";
    const made = await call<Keys>("GET", route);
    const old = made.items.find((it) => it.kind === "server")?.secret ?? "";
    await call("POST", "/projects/rotating/changes", {
      commands: [{ kind: "createFlag", flag: "any", type: "boolean" }],
    });
    await owner.goto(`${server.url}/default/rotating/flags`);
    const hand = new Hand(owner);
    await hand.click(owner.getByRole("columnheader").getByRole("button", { name: "prod" }));
    await hand.click(owner.getByRole("link", { name: "SDK keys", exact: true }));
    await hand.click(
      owner
        .getByRole("row")
        .filter({ hasText: "Server" })
        .getByRole("button", { name: /Rotate/ }),
    );
    await expect(owner.getByText(/The old one works until/)).toBeVisible();
    await hand.click(owner.getByRole("button", { name: "Copy new key" }));
    hand.needed("rotateKey");
    const copied = await owner.evaluate(() => navigator.clipboard.readText());
    expect(copied).not.toBe(old);
    expect(await letsIn(server.url, copied)).toBe(true);
    expect(await letsIn(server.url, old)).toBe(true);
    const after = await call<Keys>("GET", route);
    const ends = after.items.find((it) => it.secret === old)?.endsAt ?? "";
    expect(Math.round((Date.parse(ends) - Date.now()) / 3_600_000)).toBe(24);
  });

  test("one that leaked is revoked by its name, and lets nobody in", async ({
    owner,
    server,
    call,
  }) => {
    await call("POST", "/projects", { key: "leaking", name: "Leaking" });
    await call("POST", "/projects/leaking/environments", { key: "prod", name: "Production" });
    await owner.goto(`${server.url}/default/leaking/settings/environments/prod/keys`);
    await owner.getByRole("button", { name: "New key" }).click();
    const panel = owner.getByRole("dialog");
    await panel.getByLabel("Name").fill("Backend");
    await panel.getByRole("button", { name: "Create the key" }).click();
    await panel.getByRole("button", { name: "Copy new key" }).click();
    const secret = await owner.evaluate(() => navigator.clipboard.readText());
    expect(await letsIn(server.url, secret)).toBe(true);
    await owner.keyboard.press("Escape");
    await owner.getByRole("button", { name: "More about Backend" }).click();
    await owner.getByRole("menuitem", { name: "Revoke" }).click();
    await panel.getByLabel("Type Backend to go on").fill("Backend");
    await panel.getByRole("button", { name: "Revoke Backend" }).click();
    await expect(owner.getByRole("button", { name: "Show 1 ended key" })).toBeVisible();
    expect(await letsIn(server.url, secret)).toBe(false);
  });
});

test("environments are made, put in order, dressed and deleted", async ({
  owner,
  server,
  call,
}) => {
  await call("POST", "/projects", { key: "places", name: "Places" });
  await owner.goto(`${server.url}/default/places/settings/environments`);
  await owner.getByRole("button", { name: "New environment" }).click();
  await owner.getByLabel("Name", { exact: true }).fill("Production");
  await owner.getByRole("dialog").getByLabel("Protected").check();
  await owner.getByRole("button", { name: "Create production" }).click();
  await expect(owner.getByRole("heading", { name: /Production/ })).toContainText("Protected");
  await call("POST", "/projects/places/environments", { key: "dev", name: "Dev" });
  await owner.goto(`${server.url}/default/places/settings/environments`);
  await expect(owner.getByRole("listitem").first()).toContainText("production");
  await owner.getByRole("button", { name: "Move Dev" }).press("Alt+ArrowUp");
  await expect(owner.getByRole("listitem").first()).toContainText("dev");
  await owner.getByRole("link", { name: "Dev", exact: true }).click();
  await owner.getByLabel("Description").fill("Where we try things out");
  await owner.getByRole("button", { name: "#a8326e" }).click();
  await owner.getByRole("button", { name: "Save dev" }).click();
  await expect(owner.getByText("dev is saved")).toBeVisible();
  const saved = await call<{ colour: string; description: string }>(
    "GET",
    "/projects/places/environments/dev",
  );
  expect(saved).toMatchObject({ colour: "#a8326e", description: "Where we try things out" });
  await owner.getByRole("button", { name: "Delete dev" }).click();
  await owner.getByLabel("Type dev to go on").fill("dev");
  await owner.getByRole("dialog").getByRole("button", { name: "Delete dev" }).click();
  await expect(owner.getByRole("heading", { name: "Environments" })).toBeVisible();
  await expect(owner.getByRole("listitem")).toHaveCount(1);
  // One that is protected stays.
  await owner.getByRole("link", { name: "Production", exact: true }).click();
  await expect(owner.getByRole("button", { name: "Delete production" })).toHaveAttribute(
    "aria-disabled",
    "true",
  );
});

test("an environment's rules hold for the next change", async ({ owner, server, call }) => {
  await call("POST", "/projects", { key: "ruled", name: "Ruled" });
  await call("POST", "/projects/ruled/environments", { key: "prod", name: "Production" });
  await call("POST", "/projects/ruled/changes", {
    commands: [
      { kind: "createFlag", flag: "door", type: "boolean" },
      { kind: "turnOn", flag: "door", environment: "prod" },
    ],
  });
  await owner.goto(`${server.url}/default/ruled/settings/environments/prod/rules`);
  await owner.getByLabel("A comment is required").check();
  await owner.getByLabel("Approvals").fill("1");
  await expect(
    owner.getByText("prod: a comment is required and 1 approval.", { exact: true }),
  ).toBeVisible();
  await owner.getByRole("button", { name: "Save what changes to prod need" }).click();
  await expect(owner.getByText("What changes to prod need is saved")).toBeVisible();
  await owner.goto(`${server.url}/default/ruled/flags`);
  await owner.getByRole("button", { name: /door in prod/ }).click();
  await expect(owner.getByRole("dialog")).toContainText("prod asks for 1 approval");
});

test("the audit log is asked for what somebody did, and a day", async ({ owner, server, call }) => {
  await call("POST", "/projects", { key: "watched", name: "Watched" });
  await call("PATCH", "/projects/watched", { name: "Watched closely" });
  await owner.goto(`${server.url}/default/audit`);
  await owner.getByLabel("What was done").selectOption("renameProject");
  await owner.getByRole("button", { name: "More filters" }).click();
  await owner.getByLabel("Project", { exact: true }).selectOption("watched");
  const entries = owner.getByRole("article");
  await expect(entries).toHaveCount(1);
  await expect(entries).toContainText("project watched named Watched closely");
  await expect(owner).toHaveURL(/kind=renameProject&project=watched/);
  await owner.getByLabel("from").fill("2020-01-01");
  await owner.getByLabel("to", { exact: true }).fill("2020-01-02");
  await expect(owner.getByText("No entry matches the filter")).toBeVisible();
  const file = owner.waitForEvent("download");
  await owner.getByRole("button", { name: "Clear the filter" }).first().click();
  await owner.getByRole("button", { name: "Export all" }).click();
  expect((await file).suggestedFilename()).toBe("audit-default.jsonl");
});

test("who may not see the log is told so, and what is missing", async ({
  browser,
  server,
  call,
}) => {
  const email = "reader-of-projects@example.org";
  await call("POST", "/policies", {
    key: "demo-only",
    name: "Demo only",
    statements: [{ effect: "allow", actions: ["*.read"], resources: ["project/demo"] }],
  });
  const made = await call<{ link: string }>("POST", "/invitations", {
    email,
    policies: ["demo-only"],
  });
  const link = new URL(made.link).hash.slice(1);
  const password = "sextant-compass-4";
  await server.call("", "POST", "/links/follow", { link, name: "Rea", password });
  const context = await browser.newContext();
  await enter(context, server, await server.signIn(email, password));
  const page = await context.newPage();
  await page.goto(`${server.url}/default/audit`);
  await expect(page.getByRole("alert")).toContainText("You may not see this");
  await page.goto(`${server.url}/default/demo/settings/environments/prod/keys`);
  const row = page.getByRole("row").filter({ hasText: "Server" });
  await expect(row).toContainText("sdkKey.reveal on project/demo:env/prod");
  const rotate = row.getByRole("button", { name: /Rotate/ });
  await expect(rotate).toHaveAttribute("aria-disabled", "true");
  await expect(rotate).toHaveAttribute("title", /sdkKey.write on project\/demo:env\/prod/);
  await context.close();
});

test("a project is made from the menu, and edited", async ({ owner, server, call }) => {
  await owner.goto(`${server.url}/default/demo/flags`);
  await owner.getByRole("button", { name: /Switch project/ }).click();
  await owner.getByRole("menuitem", { name: "New project" }).click();
  await owner.getByLabel("Name", { exact: true }).fill("Web shop");
  await owner.getByRole("button", { name: "Create web-shop" }).click();
  await expect(owner).toHaveURL(/default\/web-shop\/flags/);
  const made = await call<{ items: { key: string }[] }>("GET", "/projects/web-shop/environments");
  expect(made.items.map((it) => it.key)).toEqual(["prod", "dev"]);
  await owner.goto(`${server.url}/default/web-shop/settings`);
  await owner.getByLabel("Name", { exact: true }).fill("Shop");
  await owner.getByLabel("After a number of days of its own").check();
  await owner.getByLabel("Days", { exact: true }).fill("14");
  await owner.getByRole("button", { name: "Save web-shop" }).click();
  await expect(owner.getByText("web-shop is saved")).toBeVisible();
  expect(await call("GET", "/projects/web-shop")).toMatchObject({ name: "Shop", staleDays: 14 });
  await owner.getByRole("button", { name: "Delete web-shop" }).click();
  await owner.getByLabel("Type web-shop to go on").fill("web-shop");
  await owner.getByRole("dialog").getByRole("button", { name: "Delete web-shop" }).click();
  await expect(owner).toHaveURL(/default\/(?!web-shop)[^/]+\/flags/);
});
