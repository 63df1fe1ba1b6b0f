/** A flag as a whole: copied, put away, deleted, remembered. */
import { expect, flag, served, test } from "./test.ts";

const HOME = "/default/demo/flags";

test("a flag is duplicated with its targeting", async ({ owner, server, call }) => {
  await flag(call, "original", ["dev"]);
  await owner.goto(`${server.url}${HOME}/original/dev`);
  await owner.getByRole("button", { name: "Duplicate" }).click();
  const panel = owner.getByRole("dialog");
  await expect(panel.getByLabel("Key")).toHaveValue("original-copy");
  await panel.getByLabel("Name").fill("The second one");
  await panel.getByLabel("Key").fill("second-one");
  await panel.getByLabel("dev", { exact: true }).check();
  await panel.getByRole("button", { name: "Create" }).click();
  await expect(owner.getByRole("heading", { name: "The second one" })).toBeVisible();
  expect(await served(call, "dev", "second-one", { key: "ana" })).toBe("true");
});

test("archiving says what programs get, and an archived flag is deleted by its name", async ({
  owner,
  server,
  call,
}) => {
  await flag(call, "worn-out", ["prod"]);
  await owner.goto(`${server.url}${HOME}/worn-out/prod`);
  await owner.getByRole("button", { name: "Archive" }).click();
  const popover = owner.getByRole("dialog");
  await expect(popover).toContainText("Programs get the default in their code");
  await expect(owner.getByRole("button", { name: "Delete" })).toHaveCount(0);
  await popover.getByRole("button", { name: "Add to review" }).click();
  await owner.getByRole("button", { name: /^Apply/ }).click();
  await expect(owner.getByRole("button", { name: "Restore" })).toBeVisible();
  await owner.getByRole("button", { name: "Delete" }).click();
  const sure = owner.getByRole("dialog");
  await sure.getByRole("textbox").fill("worn-out");
  await sure.getByRole("button", { name: "Delete worn-out" }).click();
  await expect(owner).toHaveURL(/flags\?archived/);
  await expect(owner.getByRole("link", { name: "worn-out" })).toHaveCount(0);
  await owner.goto(`${server.url}${HOME}/worn-out/prod`);
  await expect(owner.getByText("There is nothing here")).toBeVisible();
});

test("a link to turn it off opens what turns it off", async ({ owner, server, call }) => {
  await flag(call, "asked-for", ["prod"]);
  await owner.goto(`${server.url}${HOME}/asked-for/prod?do=off`);
  const popover = owner.getByRole("dialog");
  await popover.getByRole("button", { name: "Turn off in prod" }).click();
  await expect(owner.getByText(/prod is now version/)).toBeVisible();
  await expect(owner).not.toHaveURL(/do=off/);
  expect(await served(call, "prod", "asked-for", { key: "ana" })).toBe("false");
});

test("its history is that of one environment, where somebody chooses one", async ({
  owner,
  server,
  call,
}) => {
  await flag(call, "twice-told", ["prod"]);
  await call("POST", "/projects/demo/changes", {
    comment: "only here",
    commands: [{ kind: "turnOn", flag: "twice-told", environment: "dev" }],
  });
  await owner.goto(`${server.url}${HOME}/twice-told/history`);
  await expect(owner.getByText("only here")).toBeVisible();
  await owner.getByLabel("Changes in").selectOption("prod");
  await expect(owner).toHaveURL(/environment=prod/);
  await expect(owner.getByText("only here")).toBeHidden();
  await expect(owner.getByRole("listitem").filter({ hasText: "prod" }).first()).toBeVisible();
});

test("its segments are named and a way away; keys do what is done most", async ({
  owner,
  server,
}) => {
  await owner.goto(`${server.url}${HOME}/custom-rule-with-segment/prod`);
  const uses = owner.getByRole("region", { name: "Segments" });
  await expect(uses.getByRole("link").first()).toBeVisible();
  await owner.keyboard.press("?");
  await expect(owner.getByRole("dialog")).toContainText("Turn on or off");
  await owner.keyboard.press("Escape");
  await expect(owner.getByRole("dialog")).toHaveCount(0);
  await owner.keyboard.press("o");
  await expect(owner.getByRole("button", { name: /^Turn o(n|ff) in prod$/ })).toBeVisible();
  await owner.keyboard.press("Escape");
  await owner.keyboard.press("w");
  await expect(owner.getByLabel("User").first()).toBeFocused();
  await owner.keyboard.press("Escape");
  await uses.getByRole("link").first().click();
  await expect(owner.getByRole("region", { name: "Included users" })).toBeVisible();
  await owner.keyboard.press("h");
  await expect(owner).toHaveURL(/\/history$/);
});

test("whoever goes on before an environment is chosen is not led back", async ({
  owner,
  server,
}) => {
  const gate = () => {
    let open = () => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    return { open, opened };
  };
  const answers = gate();
  const scripts = gate();
  await owner.route("**/api/v1/me/settings*", async (route) => {
    await answers.opened;
    await route.fallback();
  });
  await owner.goto(`${server.url}/default/demo/flags/theme`);
  await expect(owner.getByRole("heading", { name: "Theme" })).toBeVisible();
  // The page that is gone to takes longer than the answer that the first one waits for.
  await owner.route("**/assets/*.js", async (route) => {
    await scripts.opened;
    await route.fallback();
  });
  await owner.getByRole("link", { name: "Audit" }).click();
  await expect(owner).toHaveURL(/default\/audit$/);
  const answered = owner.waitForResponse("**/api/v1/me/settings*");
  answers.open();
  await answered;
  scripts.open();
  await expect(owner.getByRole("heading", { name: "Audit" })).toBeVisible();
  await expect(owner).toHaveURL(/default\/audit$/);
});
