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
