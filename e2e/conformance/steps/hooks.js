// Hooks: what runs, in which order, and what it is given.
import assert from "node:assert/strict";
import { Given, Then, When } from "@cucumber/cucumber";
import { ask, parsed } from "./evaluation.js";

const STAGES = ["before", "after", "error", "finally"];

/** A hook that writes down each of its stages, with what this was given besides its context. */
function listener(name, heard) {
  const stages = STAGES.map((stage) => [
    stage,
    (_, given) => void heard.push({ name, stage, given }),
  ]);
  return Object.fromEntries(stages);
}

Given("a client with added hook", function () {
  this.heard = [];
  this.client.clearHooks();
  this.client.addHooks(listener("client", this.heard));
});

Given("evaluation options containing specific hooks", function () {
  this.heard = [];
  this.options = { hooks: ["first", "second"].map((name) => listener(name, this.heard)) };
});

When("the flag was evaluated with details using the evaluation options", async function () {
  this.details = await ask(this, "Details", this.flag, this.options);
});

Then("the specified hooks should execute during evaluation", function () {
  assert.deepEqual(new Set(this.heard.map(({ name }) => name)), new Set(["first", "second"]));
});

Then("the hook order should be maintained", function () {
  const heard = this.heard.map(({ name, stage }) => `${name} ${stage}`);
  const there = ["first before", "second before"];
  const back = ["second after", "first after", "second finally", "first finally"];
  assert.deepEqual(heard, [...there, ...back]);
});

Then("the {string} hook should have been executed", function (stage) {
  assert.equal(given(this, stage).length, 1, stage);
});

Then("the {string} hooks should be called with evaluation details", function (stages, table) {
  for (const stage of stages.split(", ")) {
    const [details] = given(this, stage);
    for (const { data_type: type, key, value } of table.hashes()) {
      const wanted = value === "null" ? undefined : parsed[type](value);
      assert.deepEqual(details[camelCase(key)], wanted, `${stage}: ${key}`);
    }
  }
});

/** What the hook was given at a stage, each time. */
function given({ heard }, stage) {
  return heard.filter((one) => one.stage === stage).map((one) => one.given);
}

const camelCase = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
