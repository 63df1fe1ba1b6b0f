// OpenFeature's web SDK with FeatBit's provider, in a real browser.
import { test } from "node:test";
import { flagThatIsOn } from "../harness/commands.js";
import { journeys } from "../harness/journeys.js";
import { pageSdk } from "./page-sdk.js";
import { Server } from "../harness/server.js";

const identity = ({ key, name, properties }) => ({ targetingKey: key, name, ...properties });
const provider = (mode, poll) =>
  pageSdk(`openfeature-provider-js-client, ${mode}`, "openfeature.js", { poll, identity });
const streaming = provider("streaming", false);
journeys(streaming);
journeys(provider("polling", true));

test("a change is announced", async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  await streaming.open();
  t.after(() => streaming.close());
  const page = await streaming.connect(server, {
    user: { key: "ada", name: "Ada", properties: {} },
  });
  await page.ready();
  await server.change(...flagThatIsOn("announced"));
  await page.shows({ announced: true });
  await server.change({ kind: "turnOff", flag: "announced" });
  await page.tab.waitForFunction(() => window.changed.includes("announced"));
});
