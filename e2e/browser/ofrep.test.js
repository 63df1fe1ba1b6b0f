// OpenFeature's web SDK with OFREP's own provider, in a real browser, from another origin.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { open } from "../harness/browser.js";
import { flagThatIsOn } from "../harness/commands.js";
import { expected, flags, users } from "../harness/demo.js";
import { Server } from "../harness/server.js";

const asContext = ({ key, name, properties }) => ({ targetingKey: key, name, ...properties });
const fallbacks = { boolean: null, string: "none", number: -1, json: {} };

let server;
let browser;
before(async () => {
  server = await Server.start();
  browser = await open("ofrep.js");
});
after(async () => {
  await browser.close();
  await server.stop();
});

/** A page whose flags are there; asks again this often, in milliseconds. */
async function page(context, pollInterval = 0, secret = server.keys.client) {
  const tab = await browser.tab();
  await tab.evaluate((settings) => window.connect(settings), {
    url: server.url,
    secret,
    context,
    pollInterval,
  });
  return tab;
}

async function values(tab, name) {
  const questions = Object.entries(flags).map(([flag, { type }]) => {
    return [flag, type, fallbacks[type] ?? !expected(flag, name)];
  });
  const found = await tab.evaluate(
    (questions) => questions.map((question) => window.value(...question)),
    questions,
  );
  return Object.fromEntries(questions.map(([flag], at) => [flag, found[at]]));
}

const wanted = (name) =>
  Object.fromEntries(Object.keys(flags).map((flag) => [flag, expected(flag, name)]));

test("all flags of the demo, for one user after the other", async () => {
  const [first, ...others] = Object.keys(users);
  const tab = await page(asContext(users[first]));
  assert.deepEqual(await values(tab, first), wanted(first));
  for (const name of others) {
    await tab.evaluate((context) => window.change(context), asContext(users[name]));
    assert.deepEqual(await values(tab, name), wanted(name), name);
  }
  await tab.context().close();
});

test("another context of the same user is not taken for the one before", async () => {
  const conditions = [{ property: "beta", op: "IsTrue", value: "" }];
  await server.change(
    ...flagThatIsOn("beta"),
    { kind: "setRules", flag: "beta", rules: [{ conditions, variation: "beta-true" }] },
    { kind: "setDefaultRule", flag: "beta", variation: "beta-false" },
  );
  const tab = await page({ targetingKey: "ada", beta: false });
  const shows = (wanted) =>
    tab.waitForFunction((wanted) => window.value("beta", "boolean", !wanted) === wanted, wanted);
  await shows(false);
  // The provider shows what it kept for the user first, and asks with the tag that it had.
  await tab.evaluate(() => window.change({ targetingKey: "ada", beta: true }));
  await shows(true);
  await tab.context().close();
});

test("polling, a change is seen and announced, and nothing else is", async () => {
  const tab = await page({ targetingKey: "ada" }, 200);
  const statuses = [];
  tab.on("response", (response) => {
    const isAnswer = response.request().method() === "POST";
    if (isAnswer) statuses.push(response.status());
  });
  while (!statuses.includes(304)) {
    const isAnswer = (response) => response.request().method() === "POST";
    await tab.waitForResponse(isAnswer);
  }
  await server.change(...flagThatIsOn("polled"));
  await tab.waitForFunction(() => window.value("polled", "boolean", false) === true);
  await tab.waitForFunction(() => window.changed.includes("polled"));
  assert.deepEqual(await tab.evaluate(() => window.changed), ["polled"]);
  await server.change({ kind: "archiveFlag", flag: "polled" });
  await tab.waitForFunction(() => window.isUnknown("polled"));
  await tab.context().close();
});

test("a bad key is refused, for the page to see", async () => {
  await assert.rejects(page({ targetingKey: "ada" }, 0, "nobody's"));
});
