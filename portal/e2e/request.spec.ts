/** Who may not do a thing alone asks for it; who may not do it at all knows whom to ask. */
import type { Browser, Page } from "@playwright/test";
import { type Call, askedProject, by, flag, target } from "./asked.ts";
import { joined } from "./joined.ts";
import type { Server } from "./server.ts";
import { enter, expect, test } from "./test.ts";

test.beforeAll(({ server }) => askedProject(server));

async function somebody(browser: Browser, server: Server, call: Call, name: string, may: string) {
  const email = `${name.toLowerCase()}@asking.example`;
  const cookie = await joined(call, server, name, { email, policies: [may] });
  const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
  await enter(context, server, cookie);
  return context.newPage();
}

const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

test("approval is requested where one is, with a word for the reviewers", async ({
  browser,
  server,
  call,
}) => {
  await flag(call, "asked-off");
  const dora = await somebody(browser, server, call, "Dora", "developer");
  await dora.goto(by(server, "/default/asked/flags?q=asked-off"));
  await dora.getByRole("button", { name: /asked-off in prod/ }).click();
  const popover = dora.getByRole("dialog");
  const ask = popover.getByRole("button", { name: "Request turning off in prod" });
  await expect(ask).toBeVisible();
  // She may not do without the approval, and sees who may.
  await expect(popover).toContainText("change.override");
  await expect(popover.getByRole("button", { name: /^Turn off in prod/ })).toHaveCount(0);
  // The environment asks why.
  await expect(ask).toHaveAttribute("aria-disabled", "true");
  await popover.getByLabel("For the reviewers: why").fill("Orders fail since noon");
  await ask.click();
  await expect(dora).toHaveURL(/\/changes\/[0-9a-f-]{36}$/);
  await expect(dora.getByRole("heading", { name: "asked-off in prod" })).toBeVisible();
  await expect(dora.getByText("Orders fail since noon")).toBeVisible();
  await expect(dora.getByRole("region", { name: "Agreement" })).toContainText(
    "1 approval is missing",
  );

  // From the review bar it is the same.
  await dora.goto(by(server, "/default/asked/flags/asked-off/prod"));
  await target(dora, "prod").fill("ana");
  await target(dora, "prod").press("Enter");
  await dora.getByLabel("Comment, which prod asks for").fill("Ana as well");
  await dora.getByRole("button", { name: "Request approval" }).click();
  await expect(dora).toHaveURL(/\/changes\/[0-9a-f-]{36}$/);
  await expect(dora.getByText("Ana as well")).toBeVisible();
  await expect(dora.getByRole("button", { name: "Review", exact: true })).toBeHidden();
  await dora.context().close();
});

test("who lacks the permission has a link for those who do not", async ({
  owner,
  browser,
  server,
  call,
}) => {
  await flag(call, "hands-off");
  const rolf = await somebody(browser, server, call, "Rolf", "reader");
  await rolf.goto(by(server, "/default/asked/flags?q=hands-off"));
  await rolf.getByRole("button", { name: /hands-off in dev/ }).click();
  const popover = rolf.getByRole("dialog");
  await expect(popover).toContainText("flag.turnOff");
  await expect(popover).toContainText(/Owner.* can grant it/);
  await popover.getByLabel("Percent that get true").fill("20");
  await expect(popover).toContainText("flag.setDefaultRule");
  await popover.getByRole("button", { name: "Copy a link for them" }).click();
  expect(await copied(rolf)).toBe(by(server, "/default/asked/flags/hands-off/dev?share=20"));
  await rolf.keyboard.press("Escape");

  // The same from the review bar; what is more than a gesture is handed over as commands.
  await rolf.goto(by(server, "/default/asked/flags/hands-off/dev"));
  const share = rolf
    .getByRole("region", { name: "Everybody else" })
    .getByRole("textbox", { name: "Percent that get true" });
  await share.fill("30");
  await rolf.getByRole("button", { name: "Review", exact: true }).click();
  const review = rolf.getByRole("region", { name: "Changes that are not applied" });
  await expect(review).toContainText("flag.setDefaultRule");
  await review.getByRole("button", { name: "Copy a link for them" }).click();
  const link = await copied(rolf);
  expect(link).toBe(by(server, "/default/asked/flags/hands-off/dev?share=30"));
  await rolf.getByRole("button", { name: "Close" }).click();
  await target(rolf, "dev").fill("ana");
  await target(rolf, "dev").press("Enter");
  await rolf.getByRole("button", { name: "Review", exact: true }).click();
  await expect(review.getByRole("button", { name: "Copy as" })).toBeVisible();
  await rolf.context().close();

  // Whoever may opens it, and it is there to be applied.
  await owner.goto(link);
  const prepared = owner.getByRole("dialog");
  await expect(prepared.getByLabel("Percent that get true")).toHaveValue("30");
  await prepared.getByRole("button", { name: "Serve 30% in dev" }).click();
  await expect(owner.getByText(/dev is now version/)).toBeVisible();
  await expect(owner).toHaveURL(by(server, "/default/asked/flags/hands-off/dev"));
});
