// OpenFeature's web SDK with FeatBit's provider, in a real browser.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { open } from "../harness/browser.js";
import { flagThatIsOn, flagWithSegment } from "../harness/commands.js";
import { asUser, expected, flags, users } from "../harness/demo.js";
import { Server } from "../harness/server.js";

let server;
let browser;
before(async () => {
  server = await Server.start();
  browser = await open("openfeature.js");
});
after(async () => {
  await browser.close();
  await server.stop();
});

async function connected(user) {
  const page = await browser.tab();
  const settings = { sdkKey: server.keys.client, url: server.url, user };
  await page.evaluate((settings) => window.connect(settings), settings);
  return page;
}

function becomes(page, flag, value) {
  return page.waitForFunction(
    ([flag, value]) => window.client.getBooleanValue(flag, !value) === value,
    [flag, value],
  );
}

for (const name of Object.keys(users)) {
  test(`every flag of the demo, for ${name}`, async () => {
    const page = await connected(asUser(name, "keyId"));
    const asked = Object.entries(flags).map(([flag, { type }]) => [flag, type]);
    const values = await page.evaluate(
      (asked) =>
        asked.map(([flag, type]) => {
          if (type === "boolean") return window.client.getBooleanValue(flag, null);
          if (type === "string") return window.client.getStringValue(flag, null);
          if (type === "number") return window.client.getNumberValue(flag, null);
          return window.client.getObjectValue(flag, null);
        }),
      asked,
    );
    assert.deepEqual(
      values,
      asked.map(([flag]) => expected(flag, name)),
    );
    await page.close();
  });
}

test("a change is announced and served", async () => {
  const page = await connected({ keyId: "ada", name: "Ada" });
  await server.change(...flagThatIsOn("live"));
  await becomes(page, "live", true);
  await server.change({ kind: "turnOff", flag: "live" });
  await becomes(page, "live", false);
  await page.waitForFunction(() => window.changed.includes("live"));
  await page.close();
});

test("setContext: another user's values", async () => {
  const page = await connected({ keyId: "ada", name: "Ada" });
  await server.change(...flagWithSegment("whose", "hers", "grace"));
  await becomes(page, "whose", false);
  await page.evaluate(() => window.setContext({ targetingKey: "grace", name: "Grace", age: 36 }));
  await becomes(page, "whose", true);
  await page.close();
});

test("an archived flag gives the code's default", async () => {
  const page = await connected({ keyId: "ada", name: "Ada" });
  await server.change(...flagThatIsOn("old"));
  await becomes(page, "old", true);
  await server.change({ kind: "archiveFlag", flag: "old" });
  await page.waitForFunction(() => window.client.getBooleanValue("old", false) === false);
  assert.equal(await page.evaluate(() => window.client.getBooleanValue("old", true)), true);
  await page.close();
});
