// What changes while an SDK is cut off, or the server is down, is not lost.
import { after, before, beforeEach, afterEach, test } from "node:test";
import { flagThatIsOn, flagWithSegment } from "../harness/commands.js";
import { streaming, until } from "../harness/node-sdk.js";
import { Server } from "../harness/server.js";
import { Wire } from "../harness/wire.js";

const ada = { key: "ada", name: "Ada", customizedProperties: [] };

let server;
let wire;
let client;
const on = (flag, missing = false) => client.boolVariation(flag, ada, missing);

before(async () => (server = await Server.start()));
after(() => server.stop());
beforeEach(async () => {
  wire = await Wire.to(server.port);
  client = streaming(server.keys.server, wire.url);
  await client.waitForInitialization();
});
afterEach(async () => {
  await client.close();
  await wire.close();
});

test("a segment changed while the SDK was away", async () => {
  await server.change(...flagWithSegment("away", "club", "grace"));
  await until(client, async () => !(await on("away", true)));
  wire.cut();
  await server.change({ kind: "addIncluded", segment: "club", keys: ["ada"] });
  wire.mend();
  await until(client, () => on("away"));
});

test("a flag archived while the SDK was away", async () => {
  await server.change(...flagThatIsOn("archived-away"));
  await until(client, () => on("archived-away"));
  wire.cut();
  await server.change({ kind: "archiveFlag", flag: "archived-away" });
  wire.mend();
  await until(client, async () => !(await on("archived-away")));
});

test("flags changed around a restart of the server", async () => {
  await server.change(...flagThatIsOn("before"), ...flagThatIsOn("after"));
  await until(client, async () => (await on("before")) && (await on("after")));
  wire.cut();
  await server.change({ kind: "turnOff", flag: "before" });
  await server.down();
  await server.up();
  await server.change({ kind: "turnOff", flag: "after" });
  wire.mend();
  await until(client, async () => !(await on("before", true)) && !(await on("after", true)));
});

test("a change acknowledged right before a crash of the server", async () => {
  await server.change(...flagThatIsOn("crash"));
  await until(client, () => on("crash"));
  wire.cut();
  await server.change({ kind: "turnOff", flag: "crash" });
  await server.down("SIGKILL");
  await server.up();
  wire.mend();
  await until(client, async () => !(await on("crash", true)));
});
