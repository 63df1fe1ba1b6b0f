// Secrets that must not work, and one that stops working.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DEMO, Server } from "../harness/server.js";
import { streaming } from "../harness/node-sdk.js";

let server;
before(async () => (server = await Server.start()));
after(() => server.stop());

test("a secret that was never issued is refused for good", async () => {
  const issued = server.keys.server;
  const forged = (issued[0] === "A" ? "B" : "A") + issued.slice(1);
  await refused(forged);
});

test("a client key is refused where a server key is due", async () => {
  await refused(server.keys.client);
});

test("a revoked key closes its connection for good", async () => {
  const route = `/projects/${DEMO.project}/environments/${DEMO.environment}/sdk-keys`;
  const key = await server.api("POST", route, { kind: "server", name: "to be revoked" });
  const { client, closed } = connect(key.secret);
  await client.waitForInitialization();
  await server.api("DELETE", `${route}/${key.id}`);
  assert.deepEqual(await closed, [], "no try to reconnect");
  await client.close();
});

async function refused(secret) {
  const { client, closed } = connect(secret);
  assert.deepEqual(await closed, [], "no try to reconnect");
  assert.equal(client.initialized(), false);
  await client.close();
}

// `closed` settles when the connection closed, with what the SDK says about coming back: it
// does so in the same turn of its event loop, and nothing for close code 4003.
function connect(secret) {
  const lines = [];
  let client;
  const closed = new Promise((resolve) => {
    client = streaming(secret, server.url, (_, line) => {
      if (line.includes("reconnect")) lines.push(line);
      if (line.includes("WebSocket closed")) setImmediate(resolve);
    });
  });
  return { client, closed: closed.then(() => lines) };
}
