// Evaluating one flag, and what comes of it.
import assert from "node:assert/strict";
import { Given, Then, When } from "@cucumber/cucumber";

/** What a text of a feature is, as a value of a type. */
export const parsed = {
  boolean: (text) => text === "true",
  string: (text) => text,
  integer: Number,
  float: Number,
  object: JSON.parse,
};

/** JavaScript has one type of numbers. */
const named = {
  boolean: "Boolean",
  string: "String",
  integer: "Number",
  float: "Number",
  object: "Object",
};

/** Asks with the client of a scenario: `what` is `Value` or `Details`. */
export function ask(world, what, { type, key, fallback }, options) {
  return world.client[`get${named[type]}${what}`](key, fallback, world.context, options);
}

Given(
  "a(n) {word}-flag with key {string} and a default/fallback value {string}",
  function (word, key, text) {
    const type = word.toLowerCase();
    this.flag = { type, key, fallback: parsed[type](text) };
  },
);

Given(
  "a context containing a key {string}, with type {string} and with value {string}",
  function (key, type, text) {
    this.context[key] = parsed[type.toLowerCase()](text);
  },
);

Given("a context containing a key {string} with null value", function (key) {
  this.context[key] = null;
});

Given("an evaluation context with modifiable data", function () {
  this.context = { email: "ballmer@macrosoft.com", roles: ["dev"], address: { city: "Oslo" } };
  this.original = structuredClone(this.context);
});

When("the flag was evaluated with details", async function () {
  this.details = await ask(this, "Details", this.flag);
});

When("the flag was evaluated with details asynchronously", async function () {
  const answer = ask(this, "Details", this.flag);
  // What else a program does comes before the answer does.
  const other = new Promise((done) => setImmediate(() => done("something else")));
  this.first = await Promise.race([other, answer]);
  this.details = await answer;
});

Then("the evaluation should complete without blocking", function () {
  assert.equal(this.first, "something else");
});

Then("the resolved details value should be {string}", function (text) {
  assert.deepEqual(this.details.value, parsed[this.flag.type](text));
});

Then("the flag key should be {string}", function (key) {
  assert.equal(this.details.flagKey, key);
});

Then("the variant should be {string}", function (variant) {
  assert.equal(this.details.variant, variant);
});

Then("the reason should be {string}", function (reason) {
  // OFREP has no DEFAULT; what serves all whom nothing else took is STATIC to it.
  assert.equal(this.details.reason, reason === "DEFAULT" ? "STATIC" : reason);
});

Then("the error-code should be {string}", function (code) {
  assert.equal(this.details.errorCode, code);
});

Then("the error message should contain {string}", function (text) {
  assert.ok(this.details.errorMessage.includes(text), this.details.errorMessage);
});

Then("the resolved metadata is empty", function () {
  assert.deepEqual(this.details.flagMetadata, {});
  assert.equal(this.details.errorCode, undefined, "it was evaluated");
});

Then("the original evaluation context should remain unmodified", function () {
  assert.deepEqual(this.context, this.original);
});

Then("the evaluation details should be immutable", function () {
  assert.equal(this.details.errorCode, undefined, "it was evaluated");
  assert.ok(Object.isFrozen(this.details.flagMetadata));
});
