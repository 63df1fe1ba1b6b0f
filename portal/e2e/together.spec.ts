/** Two people on one flag. */
import { askedProject, by, flag, ken, target } from "./asked.ts";
import { expect, test } from "./test.ts";

test.beforeAll(({ server }) => askedProject(server));

test("what another changes is marked with the name, and moves nothing under the pointer", async ({
  owner,
  browser,
  server,
  call,
}) => {
  await flag(call, "shared");
  const path = by(server, "/default/asked/flags/shared/dev");
  await owner.goto(path);
  const theirs = await ken(browser, server);
  await theirs.goto(path);

  // Ken adds a rule; the pointer is on a part below, which stays where it is.
  const everybody = owner.getByRole("region", { name: "Everybody else" });
  const share = everybody.getByLabel("Percent that get true").last();
  await share.hover();
  const before = await share.boundingBox();
  await theirs.getByRole("button", { name: "Add a rule" }).click();
  await theirs.getByRole("listitem", { name: "Rule 1" }).getByLabel("Property").fill("country");
  await theirs.keyboard.press("Enter");
  await theirs.keyboard.type("de");
  await theirs.keyboard.press("Enter");
  await theirs.getByRole("button", { name: "Apply to dev" }).click();
  const rules = owner.getByRole("region", { name: "Rules" });
  await expect(rules.getByText("ken@changes.example changed this just now")).toBeVisible();
  await expect(rules.getByRole("listitem", { name: "Rule 1" })).toBeVisible();
  const after = await share.boundingBox();
  expect(Math.abs((after?.y ?? 0) - (before?.y ?? 0))).toBeLessThanOrEqual(1);
  await expect(everybody.getByText("changed this")).toBeHidden();
  // What Ken did is his, and not marked for him.
  await expect(theirs.getByText("changed this just now").first()).toBeHidden();
});

test("a field that somebody is in is not replaced", async ({ owner, browser, server, call }) => {
  await flag(call, "edited");
  const path = by(server, "/default/asked/flags/edited/dev");
  await owner.goto(path);
  const theirs = await ken(browser, server);
  await theirs.goto(path);
  const part = owner.getByRole("region", { name: "Everybody else" });
  const share = part.getByLabel("Percent that get true").last();
  await share.focus();
  const their = theirs
    .getByRole("region", { name: "Everybody else" })
    .getByLabel("Percent that get true")
    .last();
  await their.fill("25");
  await theirs.getByRole("button", { name: "Apply to dev" }).click();
  await expect(theirs.getByText(/dev is now version/)).toBeVisible();
  await expect(part.getByText("ken@changes.example changed this just now")).toBeVisible();
  await expect(share).toHaveValue("100");
  // It is there when it is asked for.
  await part.getByRole("button", { name: "Show it" }).click();
  await expect(share).toHaveValue("25");

  // And whoever has typed is told of it before anything is applied.
  await share.fill("50");
  await their.fill("75");
  await theirs.getByRole("button", { name: "Apply to dev" }).click();
  await expect(owner.getByRole("button", { name: "Resolve the conflict" })).toBeVisible();
  await expect(share).toHaveValue("50");
  await owner.getByRole("button", { name: "Discard" }).click();
  await expect(share).toHaveValue("75");
});

test("one’s own changes are not marked", async ({ owner, server, call }) => {
  await flag(call, "mine-alone");
  await owner.goto(by(server, "/default/asked/flags/mine-alone/dev"));
  await target(owner, "dev").fill("ana");
  await target(owner, "dev").press("Enter");
  await owner.getByRole("button", { name: "Apply to dev" }).click();
  await expect(owner.getByText(/dev is now version/)).toBeVisible();
  await expect(owner.getByRole("button", { name: "Apply to dev" })).toBeHidden();
  await expect(owner.getByText("changed this")).toBeHidden();
});

test("a conflict is decided by editing on: mine, on what the other made, and nothing is lost", async ({
  owner,
  browser,
  server,
  call,
}) => {
  await flag(call, "crossing");
  const path = by(server, "/default/asked/flags/crossing/dev");
  const theirs = await ken(browser, server);
  await theirs.goto(path);
  await owner.goto(path);
  const shareOn = (page: typeof owner) =>
    page
      .getByRole("region", { name: "Everybody else" })
      .getByRole("textbox", { name: "Percent that get true" });
  // Mine: a share and a user by name, with a word about it. Theirs: another share, and a rule.
  await shareOn(owner).fill("10");
  await target(owner, "dev").fill("ana");
  await target(owner, "dev").press("Enter");
  await owner.getByRole("button", { name: "Review", exact: true }).click();
  await owner.getByLabel("Comment", { exact: true }).fill("a tenth, and Ana not");
  await owner.getByRole("button", { name: "Close" }).click();
  await shareOn(theirs).fill("25");
  await target(theirs, "dev").fill("ben");
  await target(theirs, "dev").press("Enter");
  await theirs.getByRole("button", { name: "Apply to dev" }).click();
  await expect(theirs.getByText(/dev is now version/)).toBeVisible();

  // It is decided from somewhere else: the way leads to the part.
  await owner.getByRole("link", { name: "Flags" }).first().click();
  await owner.getByRole("button", { name: "Resolve the conflict" }).click();
  const conflict = owner.getByRole("alert").filter({ hasText: "Somebody changed the same" });
  await expect(conflict).toContainText("ken@changes.example changed crossing in dev");
  await expect(conflict).toContainText("25% ‘true’");
  await conflict.getByRole("button", { name: "Edit" }).click();
  await expect(owner).toHaveURL(path);
  await expect(conflict).toBeHidden();
  const part = owner.getByRole("region", { name: "Everybody else" });
  await expect(part.getByRole("note")).toContainText("ken@changes.example’s:");
  await expect(part.getByRole("note")).toContainText("25% ‘true’");
  // One begins with the first of the two parts; in the fields is what I wanted.
  const targets = owner.getByRole("region", { name: "Individual targets" });
  await expect(targets.locator(":focus")).toHaveCount(1);
  await expect(targets.getByRole("note")).toContainText("ben");
  await expect(targets.getByRole("note")).not.toContainText("25%");
  await expect(shareOn(owner)).toHaveValue("10");
  await shareOn(owner).fill("15");
  await owner.getByRole("button", { name: "Apply to dev" }).click();
  await expect(owner.getByText(/dev is now version/)).toBeVisible();
  await expect(part.getByRole("note")).toBeHidden();
  await expect(shareOn(theirs)).toHaveValue("15");

  const now = await call<{
    variations: { id: string; value: string }[];
    environments: Record<
      string,
      { defaultRule: { variations: { id: string; rollout: [number, number] }[] } }
    >;
  }>("GET", "/projects/asked/flags/crossing");
  const on = now.variations.find((it) => it.value === "true")?.id;
  const dev = now.environments["dev"];
  const [from = 0, to = 0] = dev?.defaultRule.variations.find((it) => it.id === on)?.rollout ?? [];
  expect(to - from).toBeCloseTo(0.15, 5);
  await expect(theirs.getByRole("button", { name: "Remove ana" })).toBeVisible();
  await expect(theirs.getByRole("button", { name: "Remove ben" })).toBeVisible();
  const history = await call<{ items: { comment: string }[] }>(
    "GET",
    "/projects/asked/changes?flag=crossing",
  );
  expect(history.items[0]?.comment).toBe("a tenth, and Ana not");
  await theirs.context().close();
});

test("mine is edited on where the other took its rule away", async ({
  owner,
  browser,
  server,
  call,
}) => {
  await flag(call, "ruled");
  const rule = { id: crypto.randomUUID(), name: "Germans" };
  const edit = (command: object) =>
    call("POST", "/projects/asked/changes", {
      commands: [{ flag: "ruled", environment: "dev", ...command }],
    });
  const { variations } = await call<{ variations: { id: string }[] }>(
    "GET",
    "/projects/asked/flags/ruled",
  );
  const conditions = [{ property: "country", op: "IsOneOf", value: '["de"]' }];
  const served = { variation: variations[0]?.id };
  await edit({ kind: "addRule", rule: { ...rule, conditions, ...served } });
  const path = by(server, "/default/asked/flags/ruled/dev");
  await owner.goto(path);
  await owner.getByLabel("Name of the rule").fill("Germany");
  await expect(owner.getByRole("button", { name: "Apply to dev" })).toBeVisible();
  const theirs = await ken(browser, server);
  await theirs.goto(path);
  await theirs.getByRole("button", { name: /^Remove Germans/ }).click();
  await theirs.getByRole("button", { name: "Apply to dev" }).click();
  await expect(theirs.getByText(/dev is now version/)).toBeVisible();
  await owner.getByRole("button", { name: "Resolve the conflict" }).click();
  await owner.getByRole("alert").getByRole("button", { name: "Edit" }).click();
  await expect(owner.getByLabel("Name of the rule")).toHaveValue("Germany");
  await owner.getByLabel("Name of the rule").fill("Germany again");
  await owner.getByRole("button", { name: "Apply to dev" }).click();
  await expect(owner.getByText(/dev is now version/)).toBeVisible();
  await expect(theirs.getByLabel("Name of the rule")).toHaveValue("Germany again");
  await theirs.context().close();
});
