import type { Page } from "@playwright/test";
import { Hand } from "./hand.ts";
import { expect, test } from "./test.ts";

const HOME = "/default/demo/flags";
const ids = (count: number) => Array.from({ length: count }, (_, at) => `customer-${at}`);

interface Segment {
  included: string[];
  excluded: string[];
}

async function clipboard(page: Page, text: string): Promise<void> {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.evaluate((it) => navigator.clipboard.writeText(it), text);
}

/** What a browser does when a file is dropped. */
async function dropFile(page: Page, name: string, text: string): Promise<void> {
  const data = await page.evaluateHandle(
    ({ name, text }) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], name, { type: "text/csv" }));
      return transfer;
    },
    { name, text },
  );
  await page.dispatchEvent("h1", "dragover", { dataTransfer: data });
  await page.dispatchEvent("h1", "drop", { dataTransfer: data });
}

/** Somebody who was seen, so that there is a whole to count in. */
async function seen(page: Page, environment: string, key: string): Promise<void> {
  const route = `/api/v1/projects/demo/environments/${environment}/users`;
  const ok = await page.evaluate(
    async ({ route, key }) => {
      const headers = { "content-type": "application/x-ndjson" };
      const body = JSON.stringify({ key });
      return (await fetch(route, { method: "POST", headers, body })).ok;
    },
    { route, key },
  );
  expect(ok).toBe(true);
}

test("five thousand pasted ids are a segment", async ({ owner, server, call }) => {
  await owner.goto(server.url + HOME);
  await seen(owner, "prod", "customer-7");
  // Some are there twice.
  await clipboard(owner, [...ids(5_000), ...ids(40)].join("\n"));
  const hand = new Hand(owner);
  await hand.click(owner.getByRole("link", { name: "Segments", exact: true }));
  await expect(owner.getByRole("heading", { name: "Segments" })).toBeVisible();
  await hand.press("Control+v");
  const panel = owner.getByRole("dialog", { name: "New segment" });
  await expect(panel.getByText("5,000 users")).toBeVisible();
  await expect(panel.getByText("40 keys were there again")).toBeVisible();
  await expect(panel.getByText("4,999 included keys were never seen there").first()).toBeVisible();
  expect(await panel.getByRole("listitem").count()).toBeLessThanOrEqual(60);
  await hand.type(panel.getByLabel("Name"), "Pasted customers");
  await hand.click(panel.getByRole("button", { name: "Create pasted-customers" }));
  await expect(owner.getByRole("heading", { name: "Pasted customers" })).toBeVisible();
  hand.needed("segmentFromPaste");
  const made = await call<Segment>("GET", "/projects/demo/segments/pasted-customers");
  expect(made.included).toHaveLength(5_000);
});

test("a dropped file gives the segment its name", async ({ owner, server, call }) => {
  await owner.goto(server.url + HOME);
  const hand = new Hand(owner);
  await hand.click(owner.getByRole("link", { name: "Segments", exact: true }));
  await expect(owner.getByRole("heading", { name: "Segments" })).toBeVisible();
  await hand.did(() =>
    dropFile(owner, "beta-testers.csv", `userId,name\n${ids(300).join(",x\n")},x\n`),
  );
  const panel = owner.getByRole("dialog", { name: "New segment" });
  await expect(panel.getByLabel("Name")).toHaveValue("beta-testers");
  await hand.click(panel.getByRole("button", { name: "Create beta-testers" }));
  await expect(owner.getByRole("heading", { name: "beta-testers" })).toBeVisible();
  hand.needed("segmentFromFile");
  const made = await call<Segment>("GET", "/projects/demo/segments/beta-testers");
  expect(made.included).toEqual(ids(300));
});

test("a segment that a flag names is not deleted, and says where", async ({ owner, server }) => {
  await owner.goto(`${server.url}/default/demo/segments/prod/experienced`);
  await owner.getByRole("button", { name: "Delete" }).click();
  const dialog = owner.getByRole("dialog", { name: "Delete experienced" });
  await expect(dialog.getByRole("link", { name: "custom-rule-with-segment" })).toBeVisible();
  await expect(dialog.getByRole("textbox")).toHaveCount(0);
});

test("an unused segment is archived and deleted", async ({ owner, server, call }) => {
  const create = { kind: "createSegment", segment: "spare", environment: "dev" };
  await call("POST", "/projects/demo/changes", { commands: [create] });
  await owner.goto(`${server.url}/default/demo/segments/dev/spare`);
  await owner.getByRole("button", { name: "Archive" }).click();
  await owner.getByRole("button", { name: "Apply to dev" }).click();
  await expect(owner.getByText(/dev is now version/)).toBeVisible();
  await owner.getByRole("button", { name: "Delete" }).click();
  const dialog = owner.getByRole("dialog", { name: "Delete spare" });
  await dialog.getByRole("textbox").fill("spare");
  await dialog.getByRole("button", { name: "Delete spare" }).click();
  await expect(owner.getByRole("heading", { name: "Segments" })).toBeVisible();
  await expect(owner.getByRole("link", { name: "spare" })).toBeHidden();
});

test("a rule is a sentence", async ({ owner, server, call }) => {
  const create = { kind: "createSegment", segment: "ruled", environment: "dev" };
  await call("POST", "/projects/demo/changes", { commands: [create] });
  await owner.goto(`${server.url}/default/demo/segments/dev/ruled`);
  const rules = owner.getByRole("region", { name: "Rules" });
  await rules.getByLabel("add a condition").fill("country");
  await rules.getByLabel("add a condition").press("Enter");
  await expect(rules.getByLabel("Operator")).toHaveValue("is one of");
  // The value comes next.
  await expect(rules.getByLabel("Value")).toBeFocused();
  await owner.keyboard.type("de");
  await owner.keyboard.press("Enter");
  await expect(rules.getByRole("button", { name: "Remove de" })).toBeVisible();
  await owner.getByRole("button", { name: "Review", exact: true }).click();
  const review = owner.getByRole("region", { name: "Changes that are not applied" });
  await expect(
    review.getByText("dev ruled takes in users where country is one of de").first(),
  ).toBeVisible();
  await owner.getByRole("button", { name: "Apply to dev" }).click();
  await expect(owner.getByText(/dev is now version/)).toBeVisible();
  const made = await call<{ rules: { conditions: { property: string; value: string }[] }[] }>(
    "GET",
    "/projects/demo/environments/dev/segments/ruled",
  );
  expect(made.rules[0]?.conditions).toEqual([
    { property: "country", op: "IsOneOf", value: '["de"]' },
  ]);
});

test("an archived segment is restored", async ({ owner, server, call }) => {
  const at = { segment: "dormant", environment: "dev" };
  const kinds = ["createSegment", "archiveSegment"];
  await call("POST", "/projects/demo/changes", {
    commands: kinds.map((kind) => ({ kind, ...at })),
  });
  await owner.goto(`${server.url}/default/demo/segments?archived=true`);
  await owner.getByRole("link", { name: "dormant" }).click();
  await owner.getByRole("button", { name: "Restore" }).click();
  await owner.getByRole("button", { name: "Apply to dev" }).click();
  await expect(owner.getByText(/dev is now version/)).toBeVisible();
  await expect(owner.getByRole("button", { name: "Archive" })).toBeVisible();
  const route = "/projects/demo/environments/dev/segments/dormant";
  expect((await call<{ state: string }>("GET", route)).state).toBe("live");
});
