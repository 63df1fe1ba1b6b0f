// The JavaScript SDK in a real browser, values decided by the server.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { open } from "../harness/browser.js";
import { flagThatIsOn, flagWithSegment } from "../harness/commands.js";
import { asUser, expected, flags, users } from "../harness/demo.js";
import { DEMO, Server } from "../harness/server.js";
import { stored } from "../harness/traffic.js";
import { Wire } from "../harness/wire.js";

const ada = { keyId: "ada", name: "Ada", customizedProperties: [] };
const grace = { keyId: "grace", name: "Grace", customizedProperties: [] };

let server;
let browser;
before(async () => {
  server = await Server.start();
  browser = await open("js.js");
});
after(async () => {
  await browser.close();
  await server.stop();
});

/** A tab whose client is ready. */
async function connected(user, options = {}) {
  const page = await browser.tab();
  const frames = [];
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => frames.push(JSON.parse(payload))),
  );
  const settings = { sdkKey: server.keys.client, url: server.url, user, ...options };
  await page.evaluate((settings) => window.connect(settings), settings);
  return Object.assign(page, { frames });
}

/** Waits until a boolean flag has a value; the default is the other one. */
function becomes(page, flag, value) {
  return page.waitForFunction(
    ([flag, value]) => window.client.boolVariation(flag, !value) === value,
    [flag, value],
  );
}

/** Waits until a flag is not there: whatever the default, it is what comes back. */
function disappears(page, flag) {
  return page.waitForFunction(
    (flag) =>
      window.client.boolVariation(flag, true) === true &&
      window.client.boolVariation(flag, false) === false,
    flag,
  );
}

for (const poll of [false, true]) {
  describe(`every flag of the demo, ${poll ? "polling" : "streaming"}`, () => {
    for (const name of Object.keys(users)) {
      test(`for ${name}`, async () => {
        const page = await connected(asUser(name, "keyId"), { poll });
        const values = await page.evaluate(
          (flags) => flags.map((flag) => window.client.variation(flag, null)),
          Object.keys(flags),
        );
        const wanted = Object.keys(flags).map((flag) => expected(flag, name));
        assert.deepEqual(values, wanted);
        await page.close();
      });
    }
  });
}

describe("live", () => {
  let page;
  before(async () => (page = await connected(ada)));
  after(() => page.close());

  test("a flag is made, turned off and on again", async () => {
    await server.change(...flagThatIsOn("live"));
    await becomes(page, "live", true);
    await server.change({ kind: "turnOff", flag: "live" });
    await becomes(page, "live", false);
    await server.change({ kind: "turnOn", flag: "live" });
    await becomes(page, "live", true);
  });

  test("a segment changes", async () => {
    await server.change(...flagWithSegment("by-segment", "friends", "grace"));
    await becomes(page, "by-segment", false);
    await server.change({ kind: "addIncluded", segment: "friends", keys: ["ada"] });
    await becomes(page, "by-segment", true);
  });

  test("a change set of three flags comes as one message", async () => {
    const three = ["one", "two", "three"];
    await server.change(...three.flatMap(flagThatIsOn));
    for (const flag of three) await becomes(page, flag, true);
    const start = page.frames.length;
    await server.change(...three.map((flag) => ({ kind: "turnOff", flag })));
    for (const flag of three) await becomes(page, flag, false);
    const messages = page.frames
      .slice(start)
      .filter((message) => message.messageType === "data-sync")
      .map((message) => message.data.featureFlags.map((flag) => flag.id).sort());
    assert.deepEqual(messages, [["one", "three", "two"]]);
  });

  test("an archived flag and a deleted one give the code's default", async () => {
    await server.change(...flagThatIsOn("old"));
    await becomes(page, "old", true);
    await server.change({ kind: "archiveFlag", flag: "old" });
    await disappears(page, "old");
    await server.change({ kind: "restoreFlag", flag: "old" });
    await becomes(page, "old", true);
    await server.change({ kind: "archiveFlag", flag: "old" }, { kind: "deleteFlag", flag: "old" });
    await disappears(page, "old");
  });
});

test("identify: another user's values, and pushes for that user from then on", async () => {
  const page = await connected(ada);
  await server.change(...flagWithSegment("whose", "hers", "grace"));
  await becomes(page, "whose", false);
  await page.evaluate((user) => window.client.identify(user), grace);
  await becomes(page, "whose", true);
  await server.change({ kind: "removeIncluded", segment: "hers", keys: ["grace"] });
  await becomes(page, "whose", false);
  await page.close();
});

test("changes while the page was cut off, around a restart of the server", async () => {
  const wire = await Wire.to(server.port);
  const page = await connected(ada, { url: wire.url });
  await server.change(
    ...flagThatIsOn("away"),
    ...flagThatIsOn("gone"),
    ...flagWithSegment("away-segment", "club", "grace"),
  );
  await becomes(page, "away-segment", false);
  wire.cut();
  await server.change({ kind: "turnOff", flag: "away" }, { kind: "archiveFlag", flag: "gone" });
  await server.down();
  await server.up();
  await server.change({ kind: "addIncluded", segment: "club", keys: ["ada"] });
  wire.mend();
  await becomes(page, "away", false);
  await disappears(page, "gone");
  await becomes(page, "away-segment", true);
  await page.close();
  await wire.close();
});

test("a page that comes back with the values it had kept", async () => {
  const page = await connected(ada);
  await server.change(...flagThatIsOn("kept"));
  await becomes(page, "kept", true);
  await server.change({ kind: "turnOff", flag: "kept" });
  await becomes(page, "kept", false);
  const home = page.url();
  await page.goto("about:blank");
  await server.change({ kind: "turnOn", flag: "kept" });
  await page.goto(home);
  const settings = { sdkKey: server.keys.client, url: server.url, user: ada };
  await page.evaluate((settings) => window.connect(settings), settings);
  await becomes(page, "kept", true);
  await page.close();
});

test("polling sees a change", async () => {
  const page = await connected(ada, { poll: true });
  await server.change(...flagThatIsOn("polled"));
  await becomes(page, "polled", true);
  await server.change({ kind: "turnOff", flag: "polled" });
  await becomes(page, "polled", false);
  await page.close();
});

test("track arrives in the store", async () => {
  const page = await connected({ ...ada, keyId: "tracked" });
  await page.evaluate(() => window.client.track("clicked", 3));
  const events = await stored(
    server,
    "SELECT user_key, value FROM metric_events WHERE event = ?",
    "clicked",
  );
  assert.deepEqual(events, [{ user_key: "tracked", value: 3 }]);
  await page.close();
});

test("a revoked key closes its connection with 4003", async () => {
  const route = `/projects/${DEMO.project}/environments/${DEMO.environment}/sdk-keys`;
  const key = await server.api("POST", route, { kind: "client", name: "to be revoked" });
  const page = await browser.tab();
  await watchCloseCode(page);
  const settings = { sdkKey: key.secret, url: server.url, user: ada };
  await page.evaluate((settings) => window.connect(settings), settings);
  await server.api("DELETE", `${route}/${key.id}`);
  await page.waitForFunction(() => window.closeCode === 4003);
  await page.close();
});

test("a server key is refused on a page", async () => {
  const page = await browser.tab();
  await watchCloseCode(page);
  const settings = { sdkKey: server.keys.server, url: server.url, user: ada };
  await page.evaluate((settings) => void window.connect(settings).catch(() => {}), settings);
  await page.waitForFunction(() => window.closeCode === 4003);
  assert.equal(await page.evaluate(() => window.client.initialized()), false);
  await page.close();
});

/** Notes on `window` with which code a WebSocket of the page closes. */
function watchCloseCode(page) {
  return page.evaluate(() => {
    const Native = window.WebSocket;
    window.WebSocket = class extends Native {
      constructor(...parameters) {
        super(...parameters);
        this.addEventListener("close", ({ code }) => (window.closeCode = code));
      }
    };
  });
}
