// The sentences of `evaluation.feature`, which say in one what the newer features say in several.
import assert from "node:assert/strict";
import { Then, When } from "@cucumber/cucumber";
import { ask, parsed } from "./evaluation.js";

const TYPE = "(boolean|string|integer|float)";
const unquoted = (text) => text.replace(/^"(.*)"$/, "$1");

When(
  new RegExp(
    `^an? ${TYPE} flag with key "(.*?)" is evaluated with (details and )?default value (.+)$`,
  ),
  async function (type, key, details, text) {
    this.flag = { type, key, fallback: parsed[type](unquoted(text)) };
    await evaluated(this, details);
  },
);

When(
  /^an object flag with key "(.*?)" is evaluated with (details and )?a null default value$/,
  async function (key, details) {
    this.flag = { type: "object", key, fallback: null };
    await evaluated(this, details);
  },
);

/** Asks for the value alone where a sentence has no "details". */
async function evaluated(world, details) {
  if (details) world.details = await ask(world, "Details", world.flag);
  else world.details = { value: await ask(world, "Value", world.flag) };
}

When(
  "a non-existent string flag with key {string} is evaluated with details and a default value {string}",
  async function (key, fallback) {
    this.flag = { type: "string", key, fallback };
    await evaluated(this, true);
  },
);

When(
  "a string flag with key {string} is evaluated as an integer, with details and a default value {int}",
  async function (key, fallback) {
    this.flag = { type: "integer", key, fallback };
    await evaluated(this, true);
  },
);

When(
  "context contains keys {string}, {string}, {string}, {string} with values {string}, {string}, {int}, {string}",
  function (first, second, third, fourth, one, two, three, four) {
    this.context = { [first]: one, [second]: two, [third]: three, [fourth]: four };
  },
);

When(
  "a flag with key {string} is evaluated with default value {string}",
  async function (key, text) {
    this.flag = { type: "string", key, fallback: text };
    await evaluated(this);
  },
);

Then(new RegExp(`^the resolved ${TYPE} value should be (.+)$`), function (type, text) {
  assert.equal(this.details.value, parsed[type](unquoted(text)));
});

Then(
  new RegExp(
    `^the resolved ${TYPE} details value should be (.+), the variant should be "(.*)", and the reason should be "(.*)"$`,
  ),
  function (type, text, variant, reason) {
    const { details } = this;
    const wanted = [parsed[type](unquoted(text)), variant, reason];
    assert.deepEqual([details.value, details.variant, details.reason], wanted);
  },
);

Then(
  /^the resolved object (?:details )?value should be contain fields "(.*?)", "(.*?)", and "(.*?)", with values "(.*?)", "(.*?)" and (\d+), respectively$/,
  function (first, second, third, flag, text, number) {
    const wanted = { [first]: flag === "true", [second]: text, [third]: Number(number) };
    assert.deepEqual(this.details.value, wanted);
  },
);

Then(
  "the variant should be {string}, and the reason should be {string}",
  function (variant, reason) {
    assert.deepEqual([this.details.variant, this.details.reason], [variant, reason]);
  },
);

Then("the resolved string response should be {string}", function (text) {
  assert.equal(this.details.value, text);
});

Then("the resolved flag value is {string} when the context is empty", async function (text) {
  this.context = {};
  assert.equal(await ask(this, "Value", { ...this.flag, fallback: "none" }), text);
});

Then(/^the default (?:string|integer) value should be returned$/, function () {
  assert.equal(this.details.value, this.flag.fallback);
});

Then(
  /^the reason should indicate an error and the error code should indicate a .+ with "(.*)"$/,
  function (code) {
    assert.deepEqual([this.details.reason, this.details.errorCode], ["ERROR", code]);
  },
);
