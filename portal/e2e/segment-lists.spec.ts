import type { Page } from "@playwright/test";
import { expect, test } from "./test.ts";

const ids = (count: number) => Array.from({ length: count }, (_, at) => `customer-${at}`);

interface Segment {
  included: string[];
}

async function clipboard(page: Page, text: string): Promise<void> {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.evaluate((it) => navigator.clipboard.writeText(it), text);
}

test("users come and go, are searched, replaced and taken back", async ({
  owner,
  server,
  call,
}) => {
  const included = [...ids(100_000), "ana"];
  const create = { kind: "createSegment", segment: "large", environment: "dev", included };
  await call("POST", "/projects/demo/changes", { commands: [create] });
  await owner.goto(`${server.url}/default/demo/segments/dev/large`);
  const part = owner.getByRole("region", { name: "Included users" });
  await expect(part.getByText("100,001 users")).toBeVisible();
  expect(await part.getByRole("listitem").count()).toBeLessThanOrEqual(60);
  await part.getByRole("textbox").fill("ana");
  await expect(part.getByText("1 of 100,001 users")).toBeVisible();
  await part.getByRole("button", { name: "Remove ana" }).click();
  await part.getByRole("textbox").fill("ben, chen");
  await part.getByRole("textbox").press("Enter");
  await expect(part.getByText("100,002 users")).toBeVisible();
  await owner.getByRole("button", { name: "Review", exact: true }).click();
  const review = owner.getByRole("region", { name: "Changes that are not applied" });
  await expect(review.getByText("dev large ana no longer included")).toBeVisible();
  await expect(review.getByText("dev large ben, chen included")).toBeVisible();
  await owner.getByRole("button", { name: "Apply to dev" }).click();
  await expect(owner.getByText(/dev is now version/)).toBeVisible();
  const route = "/projects/demo/environments/dev/segments/large";
  expect((await call<Segment>("GET", route)).included.slice(-2)).toEqual(["ben", "chen"]);

  await part.getByRole("button", { name: "Replace all" }).click();
  const dialog = owner.getByRole("dialog", { name: "Replace: Included users" });
  await dialog.getByRole("textbox").fill("dora\nemil\ndora");
  await expect(dialog.getByText("1 key is there twice")).toBeVisible();
  await dialog.getByRole("button", { name: "Replace 100,002 by 2 users" }).click();
  await owner.getByRole("button", { name: "Apply to dev" }).click();
  await expect(part.getByText("2 users", { exact: true })).toBeVisible();
  await expect
    .poll(async () => (await call<Segment>("GET", route)).included)
    .toEqual(["dora", "emil"]);

  await owner.getByRole("link", { name: "History" }).click();
  // What is being reverted is not tried out once more when the stream tells of it.
  let tried = 0;
  owner.on("request", (it) => {
    if (it.url().endsWith("/revert") && it.postData()?.includes("dryRun")) tried += 1;
  });
  await owner.getByRole("button", { name: "Revert" }).first().click();
  await owner.getByRole("dialog").getByRole("button", { name: "Revert" }).click();
  await expect.poll(async () => (await call<Segment>("GET", route)).included.length).toBe(100_002);
  await expect(owner.getByText(/dev is now version/).last()).toBeVisible();
  expect(tried).toBe(1);
});

test("many keys in place of others are a list, and not a text to write in", async ({
  owner,
  server,
  call,
}) => {
  const at = { segment: "swapped", environment: "dev" };
  const create = { kind: "createSegment", ...at, included: ["ana"] };
  await call("POST", "/projects/demo/changes", { commands: [create] });
  const counted: string[] = [];
  owner.on("request", (it) => it.url().endsWith("/segment-audience") && counted.push(it.url()));
  await owner.goto(`${server.url}/default/demo/segments/dev/swapped`);
  const part = owner.getByRole("region", { name: "Included users" });
  await part.getByRole("button", { name: "Replace all" }).click();
  const dialog = owner.getByRole("dialog", { name: "Replace: Included users" });
  await clipboard(owner, [...ids(5_000), "customer-3"].join("\n"));
  await dialog.getByRole("textbox").press("Control+v");
  await expect(dialog.getByText("1 key is there twice")).toBeVisible();
  await expect(dialog.getByRole("textbox")).toHaveCount(0);
  expect(await dialog.getByRole("listitem").count()).toBeLessThanOrEqual(60);
  await dialog.getByRole("button", { name: "Remove customer-1", exact: true }).click();
  await dialog.getByRole("button", { name: "Replace 1 by 4,999 users" }).click();
  await expect(part.getByText("4,999 users")).toBeVisible();
  await expect.poll(() => counted).toHaveLength(2);
  await owner.getByRole("button", { name: "Apply to dev" }).click();
  await expect(owner.getByText(/dev is now version/)).toBeVisible();
  const route = "/projects/demo/environments/dev/segments/swapped";
  expect((await call<Segment>("GET", route)).included).toHaveLength(4_999);
  // Whom it takes in was known before.
  expect(counted).toHaveLength(2);
});

test("the list says what names a segment, and what was changed last", async ({
  owner,
  server,
  call,
}) => {
  const at = { segment: "lonely", environment: "prod" };
  await call("POST", "/projects/demo/changes", {
    commands: [{ kind: "createSegment", ...at, included: ["ana"] }],
  });
  await owner.goto(`${server.url}/default/demo/segments`);
  const row = (name: string) =>
    owner.getByRole("row").filter({ has: owner.getByRole("link", { name }) });
  await expect(row("Experienced")).toContainText("1 flag");
  await expect(row("lonely")).toContainText("no flag");
  // As soon as a flag does.
  const { id } = await call<{ id: string }>(
    "GET",
    "/projects/demo/environments/prod/segments/lonely",
  );
  await call("POST", "/projects/demo/changes", {
    commands: [
      {
        kind: "createFlag",
        flag: "names-it",
        type: "boolean",
        variations: [
          { id: "11111111-1111-4111-8111-111111111111", value: "true" },
          { id: "22222222-2222-4222-8222-222222222222", value: "false" },
        ],
      },
      {
        kind: "addRule",
        flag: "names-it",
        environment: "prod",
        rule: {
          conditions: [{ property: "User is in segment", value: JSON.stringify([id]) }],
          variation: "11111111-1111-4111-8111-111111111111",
        },
      },
    ],
  });
  await expect(row("lonely")).toContainText("1 flag");
  await row("lonely")
    .getByRole("link", { name: /owner@localhost/ })
    .click();
  await expect(owner).toHaveURL(/\?change=\d+/);
  const panel = owner.getByRole("dialog", { name: "Change" });
  await expect(panel).toContainText("lonely");
  await owner.goBack();
  await expect(panel).toBeHidden();
});
