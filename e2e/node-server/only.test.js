// What is told of the Node SDK alone.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { flagThatIsOn } from "../harness/commands.js";
import { nodeSdk } from "../harness/node-sdk.js";
import { Server } from "../harness/server.js";
import { stored } from "../harness/traffic.js";

const ada = { key: "ada", name: "Ada", properties: {} };

let server;
let program;
before(async () => {
  server = await Server.start();
  program = nodeSdk("streaming", false).connect(server, { user: ada });
  await program.ready();
});
after(async () => {
  await program.close();
  await server.stop();
});

test("a value is changed", async () => {
  await server.change(...flagThatIsOn("value"));
  await program.shows({ value: true });
  await server.change({
    kind: "updateVariation",
    flag: "value",
    variation: "value-true",
    value: "false",
  });
  await program.shows({ value: false });
});

test("an evaluation is counted once", async () => {
  await server.change(...flagThatIsOn("counted"));
  await program.shows({ counted: true });
  const count = "SELECT SUM(count) AS total FROM counts_minute WHERE flag = ? HAVING total > 0";
  assert.deepEqual(await stored(server, count, "counted"), [{ total: 1 }]);
});
