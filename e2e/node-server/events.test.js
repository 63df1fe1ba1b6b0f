// What an SDK reports arrives in the store.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { streaming } from "../harness/node-sdk.js";
import { Server } from "../harness/server.js";
import { stored } from "../harness/traffic.js";

const grace = {
  key: "grace",
  name: "Grace",
  customizedProperties: [{ name: "team", value: "compilers" }],
};

let server;
let client;
before(async () => {
  server = await Server.start();
  client = streaming(server.keys.server, server.url);
  await client.waitForInitialization();
});
after(async () => {
  await client.close();
  await server.stop();
});

test("a metric event, with its value and its user", async () => {
  client.track(grace, "compiled", 42.5);
  const events = await stored(
    server,
    "SELECT user_key, value FROM metric_events WHERE event = ?",
    "compiled",
  );
  assert.deepEqual(events, [{ user_key: "grace", value: 42.5 }]);
  const [user] = await stored(
    server,
    "SELECT name, properties FROM end_users WHERE key = ?",
    "grace",
  );
  assert.equal(user.name, "Grace");
  assert.deepEqual(JSON.parse(user.properties), [["team", "compilers"]]);
});

test("an evaluation, counted for its variation", async () => {
  assert.equal(await client.boolVariation("returns-true", grace, false), true);
  const [{ total }] = await stored(
    server,
    "SELECT SUM(count) AS total FROM counts_minute WHERE flag = ? HAVING SUM(count) > 0",
    "returns-true",
  );
  assert.equal(total, 1);
});
