// Every flag of the demo, for several users, evaluated inside the SDK.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { asUser, expected, flags, users } from "../harness/demo.js";
import { polling, streaming } from "../harness/node-sdk.js";
import { Server } from "../harness/server.js";

let server;
before(async () => (server = await Server.start()));
after(() => server.stop());

for (const [mode, connect] of Object.entries({ streaming, polling })) {
  describe(`the Node SDK, ${mode}`, () => {
    let client;
    before(async () => {
      client = connect(server.keys.server, server.url);
      await client.waitForInitialization();
    });
    after(() => client.close());

    for (const [flag, { type }] of Object.entries(flags)) {
      test(`serves ${flag}`, async () => {
        for (const user of Object.keys(users)) {
          const { value, kind } = await detail(client, type, flag, asUser(user));
          assert.deepEqual(value, expected(flag, user), `${user} (${kind})`);
        }
      });
    }
  });
}

function detail(client, type, flag, user) {
  switch (type) {
    case "boolean":
      return client.boolVariationDetail(flag, user, undefined);
    case "string":
      return client.stringVariationDetail(flag, user, undefined);
    case "number":
      return client.numberVariationDetail(flag, user, undefined);
    default:
      return client.jsonVariationDetail(flag, user, undefined);
  }
}
