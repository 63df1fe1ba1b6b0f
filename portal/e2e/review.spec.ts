import { askedProject, by, flag, target } from "./asked.ts";
import { expect, test } from "./test.ts";

test.beforeAll(({ server }) => askedProject(server));

test("theirs is taken, and mine is gone", async ({ owner, server, call }) => {
  await flag(call, "theirs");
  await owner.goto(by(server, "/default/asked/flags/theirs/dev"));
  await owner.getByLabel("Comment").count();
  await target(owner, "dev").fill("ana");
  await target(owner, "dev").press("Enter");
  const share = owner
    .getByRole("region", { name: "Everybody else" })
    .getByLabel("Percent that get true")
    .last();
  await share.fill("10");
  await expect(owner.getByText("2 changes", { exact: true })).toBeVisible();
  const { variations } = await call<{ variations: { id: string }[] }>(
    "GET",
    "/projects/asked/flags/theirs",
  );
  await call("POST", "/projects/asked/changes", {
    commands: [
      {
        kind: "setDefaultRule",
        flag: "theirs",
        environment: "dev",
        variation: variations[1]?.id,
      },
    ],
  });
  await owner.getByRole("button", { name: "Resolve the conflict" }).click();
  await owner.getByRole("button", { name: "Take owner@localhost’s" }).click();
  await expect(owner.getByText("1 change", { exact: true })).toBeVisible();
  await owner.getByRole("button", { name: "Apply to dev" }).click();
  await expect(owner.getByText(/dev is now version/)).toBeVisible();
});

test("in an emergency it goes without approval, and says why", async ({ owner, server, call }) => {
  await flag(call, "burning");
  await owner.goto(by(server, "/default/asked/flags/burning/prod"));
  await target(owner, "prod").fill("ana");
  await target(owner, "prod").press("Enter");
  await owner.getByLabel("Comment, which prod asks for").fill("payments fail");
  await owner.getByRole("button", { name: "More ways" }).click();
  await owner.getByRole("menuitem", { name: "Without approval …" }).click();
  await owner.getByLabel("Reason, for everybody to see").fill("nobody else is awake");
  await owner.getByRole("button", { name: "Apply to prod without approval" }).click();
  await expect(owner.getByText(/prod is now version/)).toBeVisible();
  // The history has it, is searched by its address, and leads back.
  await owner.goto(by(server, "/default/changes/history?project=asked&flag=burning"));
  const entry = owner.getByRole("listitem").filter({ hasText: "payments fail" }).first();
  await expect(entry).toContainText("Without approval: nobody else is awake");
  await owner.getByLabel("What", { exact: true }).selectOption({ label: "Flag created" });
  await expect(entry).toBeHidden();
  await expect(owner.getByText("made for a test").first()).toBeVisible();
  await expect(owner).toHaveURL(/kind=createFlag/);
});

test("a set whose answer was lost is sent again under its id", async ({ owner, server, call }) => {
  await flag(call, "lost");
  await owner.goto(by(server, "/default/asked/flags/lost/dev"));
  await target(owner, "dev").fill("ana");
  await target(owner, "dev").press("Enter");
  const ids: string[] = [];
  await owner.route("**/api/v1/changes", async (route) => {
    const body = route.request().postDataJSON() as { dryRun?: boolean; id: string };
    if (body.dryRun) return route.continue();
    ids.push(body.id);
    // The server has done it; nobody is told.
    if (ids.length === 1) await route.fetch();
    return ids.length < 4 ? route.abort() : route.continue();
  });
  await owner.getByRole("button", { name: "Apply to dev" }).click();
  await expect(owner.getByRole("alert")).toBeVisible();
  await owner.reload();
  await owner.getByRole("button", { name: "Apply to dev" }).click();
  await expect(owner.getByText(/dev is now version/)).toBeVisible();
  expect(ids).toHaveLength(4);
  expect(new Set(ids).size).toBe(1);
});
