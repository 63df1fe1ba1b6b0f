// OpenFeature's own providers for OFREP, unmodified: the server's in this process.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { OFREPProvider } from "@openfeature/ofrep-provider";
import { ErrorCode, OpenFeature } from "@openfeature/server-sdk";
import { flagThatIsOn } from "../harness/commands.js";
import { expected, flags, users } from "../harness/demo.js";
import { Server } from "../harness/server.js";
import { stored } from "../harness/traffic.js";

const ada = { targetingKey: "ada" };

let server;
before(async () => (server = await Server.start()));
after(async () => {
  await OpenFeature.close();
  await server.stop();
});

/** A program's flags, with a key of this kind, shown in one of the ways. */
async function program(header, secret) {
  const headers = [header === "X-API-Key" ? [header, secret] : [header, `Bearer ${secret}`]];
  await OpenFeature.setProviderAndWait(new OFREPProvider({ baseUrl: server.url, headers }));
  return OpenFeature.getClient();
}

const asContext = ({ key, name, properties }) => ({ targetingKey: key, name, ...properties });

/** How values of a type are asked for, with one that no flag serves. */
const asked = {
  boolean: ["getBooleanValue", null],
  string: ["getStringValue", "none"],
  number: ["getNumberValue", -1],
  json: ["getObjectValue", {}],
};

/** What a flag of the demo gives in a context. */
function value(client, flag, wanted, context) {
  const [ask, fallback] = asked[flags[flag].type];
  return client[ask](flag, fallback ?? !wanted, context);
}

for (const [header, kind] of [
  ["Authorization", "server"],
  ["X-API-Key", "client"],
]) {
  test(`all flags of the demo for eight users, with a ${kind} key in ${header}`, async () => {
    const client = await program(header, server.keys[kind]);
    for (const [name, user] of Object.entries(users)) {
      for (const flag of Object.keys(flags)) {
        const wanted = expected(flag, name);
        const found = await value(client, flag, wanted, asContext(user));
        assert.deepEqual(found, wanted, `${flag} for ${name}`);
      }
    }
  });
}

test("attributes have types", async () => {
  const client = await program("Authorization", server.keys.server);
  const conditions = [
    { property: "age", op: "BiggerEqualThan", value: "17.5" },
    { property: "roles", op: "Contains", value: "admin" },
    { property: "address.city", op: "Equal", value: "Oslo" },
    { property: "beta", op: "IsTrue", value: "" },
    { property: "since", op: "Before", value: "2026-01-01" },
  ];
  await server.change(
    ...flagThatIsOn("typed"),
    { kind: "setRules", flag: "typed", rules: [{ conditions, variation: "typed-true" }] },
    { kind: "setDefaultRule", flag: "typed", variation: "typed-false" },
  );
  const context = {
    ...ada,
    age: 18,
    roles: ["dev", "admin"],
    address: { city: "Oslo" },
    beta: true,
    since: new Date("2025-12-31T23:59:59Z"),
  };
  const details = await client.getBooleanDetails("typed", false, context);
  assert.deepEqual(
    [details.value, details.reason, details.variant],
    [true, "TARGETING_MATCH", "typed-true"],
  );
  for (const other of [
    { age: 17 },
    { roles: ["not-admin"] },
    { address: { city: "Bergen" } },
    { beta: false },
    { since: new Date("2026-01-01") },
  ]) {
    const asked = { ...context, ...other };
    assert.equal(await client.getBooleanValue("typed", true, asked), false, JSON.stringify(other));
  }
});

test("an off flag's value, and a change, are seen", async () => {
  const client = await program("Authorization", server.keys.server);
  await server.change(...flagThatIsOn("changing"));
  assert.equal(await client.getBooleanValue("changing", false, ada), true);
  await server.change({ kind: "turnOff", flag: "changing" });
  const details = await client.getBooleanDetails("changing", true, ada);
  assert.deepEqual([details.value, details.reason], [false, "STATIC"]);
});

test("what is wrong is told in OpenFeature's words", async () => {
  const client = await program("Authorization", server.keys.server);
  const ask = (flag, context) => client.getBooleanDetails(flag, true, context);
  for (const [flag, context, code] of [
    ["no-such-flag", ada, ErrorCode.FLAG_NOT_FOUND],
    ["returns-true", {}, ErrorCode.TARGETING_KEY_MISSING],
    ["returns-true", { ...ada, long: "x".repeat(2000) }, ErrorCode.INVALID_CONTEXT],
  ]) {
    const details = await ask(flag, context);
    assert.deepEqual([details.value, details.errorCode], [true, code], flag);
    assert.ok(details.errorMessage, flag);
  }
  const stranger = await program("Authorization", "nobody's");
  const details = await stranger.getBooleanDetails("returns-true", false, ada);
  assert.deepEqual([details.value, details.errorCode], [false, ErrorCode.GENERAL]);
});

test("users of client keys are learned", async () => {
  const client = await program("X-API-Key", server.keys.client);
  await client.getBooleanValue("returns-true", false, { targetingKey: "learned", age: 36 });
  const who = "SELECT properties FROM end_users WHERE key = ?";
  const [user] = await stored(server, who, "learned");
  assert.deepEqual(JSON.parse(user.properties), [["age", "36"]]);
});
