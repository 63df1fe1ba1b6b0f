import { askedProject, by, flag, ken, request, target } from "./asked.ts";
import { Hand } from "./hand.ts";
import { expect, test } from "./test.ts";

test.beforeAll(({ server }) => askedProject(server));

test("a change is scheduled for tomorrow morning", async ({ owner, server, call }) => {
  await flag(call, "tomorrow");
  await owner.goto(by(server, "/default/asked/flags"));
  const hand = new Hand(owner);
  await hand.click(owner.getByRole("link", { name: "tomorrow" }));
  await hand.type(target(owner, "dev"), "ana", "Enter");
  await hand.click(owner.getByRole("button", { name: "More ways" }));
  await hand.click(owner.getByRole("menuitem", { name: "Schedule …" }));
  await expect(owner.getByRole("button", { name: "Tomorrow 09:00" })).toHaveAttribute(
    "aria-pressed",
    "true",
  );
  await expect(owner.getByText("Times are of your clock: UTC")).toBeVisible();
  await hand.click(owner.getByRole("button", { name: "Schedule", exact: true }));
  hand.needed("schedule");
  await expect(owner.getByText("It is scheduled")).toBeVisible();
  await owner.goto(by(server, "/default/changes/schedule"));
  const row = owner.getByRole("listitem").filter({ hasText: "tomorrow in dev" });
  await expect(row).toContainText("9:00:00");
  await row.getByRole("button", { name: "Change" }).click();
  await owner.getByLabel("When").fill("2027-01-04T10:30");
  await owner.getByRole("button", { name: "Reschedule" }).click();
  await expect(row).toContainText("Jan 4, 2027");
  // The same in the calendar, with the keys.
  await owner.goto(by(server, "/default/changes/schedule?month=2027-01"));
  await owner.getByRole("gridcell", { selected: true }).focus();
  for (const key of ["ArrowRight", "ArrowRight", "ArrowRight"]) await owner.keyboard.press(key);
  await expect(owner.getByRole("gridcell", { selected: true })).toContainText("tomorrow in dev");
  await owner.getByRole("button", { name: "Change" }).click();
  await owner.getByRole("button", { name: "Withdraw all of it" }).click();
  await expect(owner.getByRole("listitem").filter({ hasText: "tomorrow" })).toContainText(
    "withdrawn",
  );
});

test("a rollout grows step by step, and is seen to", async ({ owner, server, call }) => {
  await flag(call, "growing");
  await owner.goto(by(server, "/default/asked/flags/growing/dev"));
  await owner
    .getByRole("region", { name: "Everybody else" })
    .getByLabel("Percent that get true")
    .last()
    .fill("10");
  await owner.getByRole("button", { name: "More ways" }).click();
  await owner.getByRole("menuitem", { name: "Schedule …" }).click();
  await owner.getByRole("button", { name: "Add a step" }).click();
  await owner.getByLabel("Percent that get true of growing in dev").fill("50");
  const from = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString();
  const hour = 3_600_000;
  await owner.getByLabel("Step 1 at").fill(from(hour).slice(0, 16));
  await owner.getByLabel("Step 2 at").fill(from(2 * hour).slice(0, 16));
  await owner.getByLabel("Title of the request").fill("Growing, bit by bit");
  await owner.getByRole("button", { name: "Schedule", exact: true }).click();
  await owner.getByRole("button", { name: "Open" }).click();
  await expect(owner.getByRole("heading", { name: "Growing, bit by bit" })).toBeVisible();
  const discussion = owner.getByRole("region", { name: "Discussion" });
  // Nobody waits for hours: they pass while the page is looked at.
  const id = new URL(owner.url()).pathname.split("/").at(-1) ?? "";
  await call("POST", `/requests/${id}/reschedule`, { at: [from(1_000), from(2_000)] });
  await expect(discussion).toContainText("Step 1 was applied");
  await expect(discussion).toContainText("Step 2 was applied");
  await discussion.getByRole("link").last().click();
  await expect(owner.getByText(/50% ‘true’/)).toBeVisible();
});

test("what is declined is revised, and applied by whoever agrees", async ({
  owner,
  browser,
  server,
  call,
}) => {
  await flag(call, "disputed");
  await owner.goto(by(server, "/default/asked/flags/disputed/prod"));
  await target(owner, "prod").fill("ana, ben");
  await target(owner, "prod").press("Enter");
  // A comment is asked for where one is: nothing has to be opened.
  await owner.getByLabel("Comment, which prod asks for").fill("they asked for it");
  await owner.getByLabel("Comment, which prod asks for").press("Enter");
  await expect(owner.getByRole("heading", { name: "disputed in prod" })).toBeVisible();
  // It has its comment: nobody is told that one is missing.
  await expect(owner.getByRole("region", { name: "Agreement" })).toContainText(
    "1 approval is missing",
  );
  await expect(owner.getByText("prod asks for a comment")).toBeHidden();
  const address = owner.url();

  const other = await ken(browser, server);
  await other.goto(address);
  await other.getByLabel("Comment").fill("Not Ben");
  await other.getByRole("button", { name: "Decline" }).click();
  // It is seen where it was asked for, without a reload.
  await expect(owner.getByText("ken@changes.example declined")).toBeVisible();
  await expect(owner.getByText("Not Ben")).toBeVisible();

  await owner.getByRole("button", { name: "Edit" }).click();
  await owner.getByRole("button", { name: "Remove ben" }).click();
  await expect(owner.getByText("for the request ‘disputed in prod’")).toBeVisible();
  await owner.reload();
  await owner.getByRole("button", { name: "Send as revision 2" }).click();
  await expect(owner.getByText("The new revision is sent")).toBeVisible();
  // One is on its page again, which tells the two apart.
  await expect(owner).toHaveURL(address);
  const revised = owner
    .getByRole("region", { name: "Discussion" })
    .getByRole("listitem")
    .filter({ hasText: "wrote revision 2" });
  await expect(revised.getByText("What differs from the revision before")).toBeVisible();
  await expect(revised.getByRole("listitem").first()).toContainText("No longer:");
  await expect(revised.getByRole("listitem").first()).toContainText("ben");
  await expect(revised.getByRole("listitem").last()).toContainText("New:");
  await expect(revised.getByRole("listitem").last()).not.toContainText("ben");

  await expect(other.getByText("revision 2", { exact: true })).toBeVisible();
  await other.getByRole("button", { name: "Approve and apply" }).click();
  await expect(other.getByText(/prod is now version/)).toBeVisible();
  await expect(other.getByRole("region", { name: "What it does" })).not.toContainText("ben");
  await other.context().close();
});

test("what waits and what need not are two sets", async ({ owner, server, call }) => {
  await flag(call, "halves");
  for (const environment of ["prod", "dev"]) {
    await owner.goto(by(server, `/default/asked/flags/halves/${environment}`));
    await target(owner, environment).fill("ana");
    await target(owner, environment).press("Enter");
  }
  await owner.getByRole("button", { name: "Review", exact: true }).click();
  await owner.getByLabel("Comment", { exact: true }).fill("half and half");
  await owner.getByRole("button", { name: "Apply dev now, request prod" }).click();
  await expect(owner.getByText(/dev is now version/)).toBeVisible();
  await expect(owner.getByText("Approval is requested")).toBeVisible();
  await expect(owner.getByRole("button", { name: "Review", exact: true })).toBeHidden();
});

test("others change what a request touches", async ({ owner, server, call }) => {
  await flag(call, "crossed");
  const { id } = await request(call, "crossed", "Off with it");
  const meddle = (kind: string) =>
    call("POST", "/projects/asked/changes", {
      comment: "somebody else’s",
      override: { reason: "to be in the way" },
      commands: [{ kind, flag: "crossed", environment: "prod" }],
    });
  await meddle("turnOff");
  await owner.goto(by(server, `/default/changes/${id}`));
  const conflict = owner.getByRole("region", { name: "Somebody changed the same" });
  await expect(conflict).toContainText("owner@localhost changed crossed in prod");
  await conflict.getByRole("link", { name: "Show it" }).click();
  await expect(owner.getByRole("heading", { name: /prod at version/ })).toBeVisible();
  await owner.goBack();
  await meddle("turnOn");
  // What was taken back is in nobody's way.
  await expect(conflict).toBeHidden();
  await meddle("turnOff");
  await expect(conflict).toBeVisible();
  await owner.getByRole("button", { name: "Withdraw it" }).click();
  await expect(owner.getByText("Withdrawn").first()).toBeVisible();
});
