import { HOME } from "./pages/shown.ts";
import { expect, test } from "./test.ts";

test("the names of columns stand on one line", async ({ owner, server }) => {
  await owner.goto(server.url + HOME);
  const header = owner.getByRole("row").first();
  await expect(header.getByText("Tags")).toBeVisible();
  const middles = await header.evaluate((row) => {
    const texts = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
    const found: number[] = [];
    while (texts.nextNode()) {
      const range = document.createRange();
      range.selectNodeContents(texts.currentNode);
      const { top, bottom, width } = range.getBoundingClientRect();
      if (width > 1 && !texts.currentNode.parentElement?.closest(".hidden")) {
        found.push((top + bottom) / 2);
      }
    }
    return found;
  });
  expect(middles.length).toBeGreaterThanOrEqual(4);
  expect(Math.max(...middles) - Math.min(...middles)).toBeLessThan(0.6);
});

test("a panel that invites is as wide with the link as with the form", async ({
  owner,
  server,
}) => {
  await owner.goto(`${server.url}/default/settings/members`);
  await owner.getByRole("button", { name: "Invite" }).click();
  const panel = owner.getByRole("dialog");
  await panel.getByLabel("E-mails").fill("wide@example.org");
  const before = await panel.boundingBox();
  await panel.getByRole("button", { name: /Invite and copy/ }).click();
  await expect(panel.getByText("wide@example.org")).toBeVisible();
  await expect(panel.getByLabel("E-mails")).toBeHidden();
  await expect.poll(async () => (await panel.boundingBox())?.width).toBe(before?.width);
});

test("who has no second factor cannot ask others for one, and the switch says so", async ({
  owner,
  server,
}) => {
  await owner.goto(`${server.url}/default/settings/general`);
  const box = owner.getByRole("checkbox", { name: /second factor/ });
  await expect(box).toHaveAttribute("aria-disabled", "true");
  await expect(box).toHaveAccessibleDescription("To ask others for one, set up your own first.");
  await box.click({ force: true });
  await expect(box).not.toBeChecked();
  await expect(owner.getByText("To ask others for one, set up your own first.")).toHaveCount(2);
  await owner.getByRole("link", { name: "Set up a second factor" }).click();
  await expect(owner.getByRole("heading", { name: "Security" })).toBeVisible();
});

test("the audit log asks three things, and more where one wants", async ({ owner, server }) => {
  await owner.goto(`${server.url}/default/audit`);
  const filter = owner.getByRole("search", { name: "Filter" });
  await expect(filter.locator("input, select")).toHaveCount(3);
  await filter.getByRole("button", { name: "More filters" }).click();
  await expect(filter.getByLabel("Segment")).toBeVisible();
  await filter.getByLabel("Flag", { exact: true }).fill("theme");
  await expect(owner).toHaveURL(/flag=theme/);
  // What holds is seen where one comes by a link.
  await owner.reload();
  await expect(filter.getByLabel("Flag", { exact: true })).toHaveValue("theme");
  await filter.getByRole("button", { name: "Fewer filters" }).click();
  await expect(filter.locator("input, select")).toHaveCount(3);
});

test("what is not there says so in words, with a way on", async ({ owner, server }) => {
  await owner.goto(`${server.url}${HOME}/nobody-made-this`);
  await expect(owner.getByText("It was deleted, or the address is wrong.")).toBeVisible();
  await owner.getByRole("link", { name: "To the flags" }).click();
  await expect(owner.getByRole("heading", { name: "Flags" })).toBeVisible();
});

test("at night a popover and a menu are of our own grey", async ({ owner, server }) => {
  await owner.emulateMedia({ colorScheme: "dark" });
  await owner.goto(server.url + HOME);
  const surface = "rgb(22, 33, 43)";
  await owner.getByRole("button", { name: /theme in prod/ }).click();
  await expect(owner.getByRole("dialog")).toHaveCSS("background-color", surface);
  await owner.keyboard.press("Escape");
  await owner.getByRole("button", { name: "Account" }).click();
  await expect(owner.getByRole("menu")).toHaveCSS("background-color", surface);
});
