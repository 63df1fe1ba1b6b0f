// The React SDK in a real browser: what its hooks show.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { open } from "../harness/browser.js";
import { flagThatIsOn } from "../harness/commands.js";
import { asUser, expected, flags, users } from "../harness/demo.js";
import { Server } from "../harness/server.js";

let server;
let browser;
before(async () => {
  server = await Server.start();
  browser = await open("react.jsx");
});
after(async () => {
  await browser.close();
  await server.stop();
});

async function shown(user, names) {
  const page = await browser.tab();
  const settings = { sdkKey: server.keys.client, url: server.url, user, flags: names };
  await page.evaluate((settings) => window.show(settings), settings);
  return page;
}

const text = (page, flag) => page.textContent(`#${flag}`);
const shows = (page, flag, value) => page.waitForSelector(`#${flag}:text-is("${value}")`);

for (const name of Object.keys(users)) {
  test(`every flag of the demo, for ${name}`, async () => {
    const page = await shown(asUser(name, "keyId"), Object.keys(flags));
    for (const flag of Object.keys(flags)) {
      assert.deepEqual(JSON.parse(await text(page, flag)), expected(flag, name), flag);
    }
    await page.close();
  });
}

test("a component shows a change, and another user's values after identify", async () => {
  await server.change(...flagThatIsOn("live"), {
    kind: "addTargets",
    flag: "live",
    variation: "live-false",
    keys: ["grace"],
  });
  const page = await shown({ keyId: "ada", name: "Ada" }, ["live"]);
  await shows(page, "live", "true");
  await server.change({ kind: "turnOff", flag: "live" });
  await shows(page, "live", "false");
  await server.change({ kind: "turnOn", flag: "live" });
  await shows(page, "live", "true");
  await page.evaluate(() => window.client.identify({ keyId: "grace", name: "Grace" }));
  await shows(page, "live", "false");
  await page.close();
});
