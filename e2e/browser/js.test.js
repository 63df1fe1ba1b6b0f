// The JavaScript SDK in a real browser, values decided by the server.
import { test } from "node:test";
import { flagThatIsOn } from "../harness/commands.js";
import { journeys } from "../harness/journeys.js";
import { pageSdk } from "./page-sdk.js";
import { Server } from "../harness/server.js";

const sdk = pageSdk("js-client-sdk, streaming", "js.js");
journeys(sdk);
journeys(pageSdk("js-client-sdk, polling", "js.js", { poll: true }));

test("a page that comes back with the values it had kept", async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  await sdk.open();
  t.after(() => sdk.close());
  const user = { key: "ada", name: "Ada", properties: {} };
  const page = await sdk.connect(server, { user });
  await page.ready();
  await server.change(...flagThatIsOn("kept"));
  await page.shows({ kept: true });
  await server.change({ kind: "turnOff", flag: "kept" });
  await page.shows({ kept: false });
  await page.tab.goto("about:blank");
  await server.change({ kind: "turnOn", flag: "kept" });
  await page.restart();
  await page.shows({ kept: true });
  await page.close();
});
