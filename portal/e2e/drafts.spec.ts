import { expect, flag, served, test } from "./test.ts";

const HOME = "/default/demo/flags";

test("edits outlive the page, its reload, and another page", async ({ owner, server, call }) => {
  await flag(call, "patient", ["prod"]);
  await owner.goto(`${server.url}${HOME}/patient/prod`);
  await owner.getByLabel("Users who get false in prod").fill("ana");
  await owner.getByLabel("Users who get false in prod").press("Enter");
  await expect(owner.getByText("1 change", { exact: true })).toBeVisible();
  await owner.reload();
  await expect(owner.getByText("1 change", { exact: true })).toBeVisible();
  await owner.getByRole("link", { name: "Flags" }).first().click();
  await expect(owner.getByRole("link", { name: /patient/ })).toContainText("edited");
  await owner.goto(`${server.url}${HOME}/patient/prod`);
  await owner.getByRole("button", { name: "Remove ana" }).click();
  // What cancels out is gone, and the bar with it.
  await expect(owner.getByRole("button", { name: "Review", exact: true })).toBeHidden();
});

test("a session that ends in the middle of an edit loses nothing", async ({
  owner,
  server,
  call,
}) => {
  await flag(call, "interrupted", ["prod"]);
  await owner.goto(`${server.url}${HOME}/interrupted/prod`);
  await owner.getByLabel("Users who get false in prod").fill("ana");
  await owner.getByLabel("Users who get false in prod").press("Enter");
  await expect(owner.getByRole("button", { name: "Apply to prod" })).not.toHaveAttribute(
    "aria-busy",
  );
  await owner.context().clearCookies();
  await owner.getByRole("button", { name: "Apply to prod" }).click();
  const again = owner.getByRole("dialog", { name: "Your session ended" });
  await again.getByLabel("Password").fill("vessel-harbor-9");
  await again.getByRole("button", { name: "Sign in" }).click();
  await expect(again).toBeHidden();
  await expect(owner.getByRole("button", { name: "Remove ana" })).toBeVisible();
  await owner.getByRole("button", { name: "Apply to prod" }).click();
  await expect(owner.getByText(/prod is now version/)).toBeVisible();
  expect(await served(call, "prod", "interrupted", { key: "ana" })).toBe("false");
});

test("somebody else's change of the same part is shown before mine is applied", async ({
  owner,
  server,
  call,
}) => {
  await flag(call, "contended", ["prod"]);
  await owner.goto(`${server.url}${HOME}/contended/prod`);
  const share = owner
    .getByRole("region", { name: "Everybody else" })
    .getByRole("textbox", { name: "Percent that get true" });
  await share.fill("10");
  await expect(owner.getByRole("button", { name: "Apply to prod" })).toBeVisible();
  const detail = await call<{ variations: { id: string }[] }>(
    "GET",
    "/projects/demo/flags/contended",
  );
  const [first, second] = detail.variations;
  await call("POST", "/projects/demo/changes", {
    comment: "a quarter",
    commands: [
      {
        kind: "setDefaultRule",
        flag: "contended",
        environment: "prod",
        variations: [
          { id: first?.id, rollout: [0, 0.25] },
          { id: second?.id, rollout: [0.25, 1] },
        ],
      },
    ],
  });
  await owner.getByRole("button", { name: "Resolve the conflict" }).click();
  await expect(owner.getByRole("alert")).toContainText("owner@localhost changed contended in prod");
  await expect(owner.getByRole("alert")).toContainText("a quarter");
  await owner.getByRole("button", { name: "Keep mine" }).click();
  await owner.getByRole("button", { name: "Apply to prod" }).click();
  await expect(owner.getByText(/prod is now version/)).toBeVisible();
  const after = await call<{
    environments: Record<
      string,
      { defaultRule: { variations: { id: string; rollout: number[] }[] } }
    >;
  }>("GET", "/projects/demo/flags/contended");
  const parts = after.environments["prod"]?.defaultRule.variations ?? [];
  const mine = parts.find((it) => it.id === first?.id)?.rollout ?? [];
  expect((mine[1] ?? 0) - (mine[0] ?? 0)).toBeCloseTo(0.1, 5);
});

test("another's change is shown without a reload", async ({ owner, server, call }) => {
  await flag(call, "live", ["prod"]);
  await owner.goto(`${server.url}${HOME}?q=live`);
  await expect(owner.getByRole("button", { name: /live in prod: On/ })).toBeVisible();
  await call("POST", "/projects/demo/changes", {
    commands: [{ kind: "turnOff", flag: "live", environment: "prod" }],
  });
  await expect(owner.getByRole("button", { name: /live in prod: Off/ })).toBeVisible();
});

test("a second tab has the same edits, and what is said about them", async ({
  owner,
  server,
  call,
}) => {
  await flag(call, "two-tabs", ["prod"]);
  await owner.goto(`${server.url}${HOME}/two-tabs/prod`);
  await owner.getByLabel("Users who get false in prod").fill("ana");
  await owner.getByLabel("Users who get false in prod").press("Enter");
  await owner.getByRole("button", { name: "Review", exact: true }).click();
  await owner.getByLabel("Comment", { exact: true }).fill("half typed");
  const other = await owner.context().newPage();
  await other.goto(`${server.url}/default/changes`);
  await expect(other.getByText("1 change", { exact: true })).toBeVisible();
  await other.getByRole("button", { name: "Review", exact: true }).click();
  await expect(other.getByLabel("Comment", { exact: true })).toHaveValue("half typed");
  await other.getByRole("button", { name: "More ways" }).click();
  await other.getByRole("menuitem", { name: "Schedule …" }).click();
  // Planned there, seen here; and ⌘Z takes back the edit, not what is said about it.
  await expect(owner.getByRole("region", { name: "When" })).toBeVisible();
  await owner.reload();
  await expect(owner.getByText(/^on .*9:00:00/)).toBeVisible();
  await other.getByRole("button", { name: "Discard" }).click();
  await expect(owner.getByText("1 change", { exact: true })).toBeHidden();
  await other.close();
});
