// What contexts of several levels become: read from what the server learned of the user, so after
// all of the way.
import assert from "node:assert/strict";
import { Before, Given, Then, When } from "@cucumber/cucumber";
import { OpenFeature } from "@openfeature/server-sdk";
import { stored } from "../../harness/traffic.js";
import { server } from "./provider.js";

Before(function () {
  this.levels = new Map();
});

Given(
  "A context entry with key {string} and value {string} is added to the {string} level",
  function (key, value, level) {
    add(this, level, key, value);
  },
);

Given("A table with levels of increasing precedence", function (table) {
  this.order = table.raw().flat();
});

Given(
  "Context entries for each level from API level down to the {string} level, with key {string} and value {string}",
  function (last, key, value) {
    const levels = this.order.slice(0, this.order.indexOf(last) + 1);
    // Only the last has the value that is looked for.
    for (const level of levels) add(this, level, key, level === last ? value : `not of ${level}`);
  },
);

When("Some flag was evaluated", { timeout: 60_000 }, async function () {
  const level = (name) => this.levels.get(name) ?? {};
  OpenFeature.setContext({ targetingKey: this.user, ...level("API") });
  this.client.setContext(level("Client"));
  this.client.addHooks({ before: () => level("Before Hooks") });
  const evaluated = new Promise((done) => {
    const ask = () => this.client.getBooleanDetails("boolean-flag", false, level("Invocation"));
    OpenFeature.setTransactionContext(level("Transaction"), () => done(ask()));
  });
  const details = await evaluated;
  assert.deepEqual([details.value, details.errorCode], [true, undefined]);
  const who = "SELECT properties FROM end_users WHERE key = ?";
  const [{ properties }] = await stored(server, who, this.user);
  this.merged = Object.fromEntries(JSON.parse(properties));
});

Then(
  "The merged context contains an entry with key {string} and value {string}",
  function (key, value) {
    assert.equal(this.merged[key], value);
  },
);

function add({ levels }, level, key, value) {
  levels.set(level, { ...levels.get(level), [key]: value });
}
