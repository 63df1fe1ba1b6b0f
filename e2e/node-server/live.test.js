// Changes reach a connected SDK.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { flagThatIsOn, flagWithSegment } from "../harness/commands.js";
import { polling, streaming, until } from "../harness/node-sdk.js";
import { Server } from "../harness/server.js";

const ada = { key: "ada", name: "Ada", customizedProperties: [] };

let server;
let client;
const on = (flag, missing = false, from = client) => from.boolVariation(flag, ada, missing);

before(async () => {
  server = await Server.start();
  client = streaming(server.keys.server, server.url);
  await client.waitForInitialization();
});
after(async () => {
  await client.close();
  await server.stop();
});

test("a flag is made, turned off and on again", async () => {
  await server.change(...flagThatIsOn("live"));
  await until(client, () => on("live"));
  await server.change({ kind: "turnOff", flag: "live" });
  await until(client, async () => !(await on("live", true)));
  await server.change({ kind: "turnOn", flag: "live" });
  await until(client, () => on("live"));
});

test("a value is changed", async () => {
  await server.change(...flagThatIsOn("value"));
  await until(client, () => on("value"));
  await server.change({
    kind: "updateVariation",
    flag: "value",
    variation: "value-true",
    value: "false",
  });
  await until(client, async () => !(await on("value", true)));
});

test("a segment changes", async () => {
  await server.change(...flagWithSegment("by-segment", "friends", "grace"));
  await until(client, async () => !(await on("by-segment", true)));
  await server.change({ kind: "addIncluded", segment: "friends", keys: ["ada"] });
  await until(client, () => on("by-segment"));
  await server.change({ kind: "addExcluded", segment: "friends", keys: ["ada"] });
  await until(client, async () => !(await on("by-segment", true)));
});

test("a change set of three flags is seen whole", async () => {
  const three = ["one", "two", "three"];
  await server.change(...three.flatMap(flagThatIsOn));
  await until(client, async () =>
    (await Promise.all(three.map((flag) => on(flag)))).every(Boolean),
  );

  const seen = [];
  const look = () =>
    seen.push(three.map((flag) => client.evaluateCore(flag, ada, true, asBoolean).value));
  client.on("update", look);
  await server.change(...three.map((flag) => ({ kind: "turnOff", flag })));
  await until(client, () => seen.some((values) => values.every((value) => !value)));
  client.off("update", look);
  assert.deepEqual(seen, [[false, false, false]]);
});

test("an archived flag and a deleted one give the code's default", async () => {
  await server.change(...flagThatIsOn("old"));
  await until(client, () => on("old"));
  await server.change({ kind: "archiveFlag", flag: "old" });
  await until(client, async () => !(await on("old", false)));
  assert.equal(await on("old", true), true, "the default, whatever it is");

  await server.change({ kind: "restoreFlag", flag: "old" });
  await until(client, () => on("old", false));
  await server.change({ kind: "archiveFlag", flag: "old" }, { kind: "deleteFlag", flag: "old" });
  await until(client, async () => !(await on("old", false)));
  assert.equal(await on("old", true), true, "the default, whatever it is");
});

test("polling sees a change", async () => {
  const poller = polling(server.keys.server, server.url);
  await poller.waitForInitialization();
  await server.change(...flagThatIsOn("polled"));
  await until(poller, () => on("polled", false, poller));
  await server.change({ kind: "turnOff", flag: "polled" });
  await until(poller, async () => !(await on("polled", true, poller)));
  await poller.close();
});

function asBoolean(value) {
  return { isSucceeded: true, value: value === "true" };
}
