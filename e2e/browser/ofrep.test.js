// OpenFeature's web SDK with OFREP's own provider, in a real browser, from another origin.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { open } from "../harness/browser.js";
import { flagThatIsOn } from "../harness/commands.js";
import { expected, flags, users } from "../harness/demo.js";
import { Relayed } from "../harness/relayed.js";
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

/** A tab whose flags are there, by a provider with these options. */
async function page(context, options = {}) {
  const tab = await browser.tab();
  await connect(tab, context, options);
  return tab;
}

const connect = (tab, context, { secret = server.keys.client, ...options } = {}) =>
  tab.evaluate((settings) => window.connect(settings), {
    url: server.url,
    secret,
    context,
    ...options,
  });

const isQuestion = (response) => response.request().method() === "POST";
const isStream = (request) => request.url().includes("/ofrep/v1/events/");
const shows = (tab, flag) =>
  tab.waitForFunction((flag) => window.value(flag, "boolean", false) === true, flag);

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
  const becomes = (wanted) =>
    tab.waitForFunction((wanted) => window.value("beta", "boolean", !wanted) === wanted, wanted);
  await becomes(false);
  // The provider shows what it kept for the user first, and asks with the tag that it had.
  await tab.evaluate(() => window.change({ targetingKey: "ada", beta: true }));
  await becomes(true);
  await tab.context().close();
});

test("by its event stream, a page sees changes and asks for nothing in between", async () => {
  const tab = await browser.tab();
  const streams = [];
  const questions = [];
  tab.on("request", (request) => {
    if (isStream(request)) streams.push(request.url());
  });
  tab.on("response", (response) => {
    if (isQuestion(response)) questions.push([response.url(), response.status()]);
  });
  // The stream's first event, which may be of a change before it.
  const first = tab.waitForResponse((it) => isQuestion(it) && it.status() === 304);
  await connect(tab, { targetingKey: "ada" });
  await first;
  assert.equal(questions.length, 2, "for the flags, and for the first event");
  const changes = ["one", "two", "three"];
  for (const flag of changes) {
    await server.change(...flagThatIsOn(flag));
    await shows(tab, flag);
  }
  await tab.waitForFunction(() => window.changed.length >= 3);
  assert.deepEqual(await tab.evaluate(() => window.changed), changes);
  for (const [url] of questions.slice(1)) {
    assert.match(url, /\?flagConfigEtag=\d+\.[0-9a-f]{16}$/);
  }
  assert.equal(streams.length, 1, "one stream all the time");
  await tab.context().close();
});

test("a page whose server comes back hears of what it has missed", async () => {
  const tab = await page({ targetingKey: "ada" });
  await server.change(...flagThatIsOn("before"));
  await shows(tab, "before");
  const again = tab.waitForRequest(isStream);
  await server.down();
  await server.up();
  await server.change(...flagThatIsOn("after"));
  await shows(tab, "after");
  assert.ok((await again).url());
  await tab.context().close();
});

test("a page on a relay hears of changes as one on a server does", async () => {
  const relayed = await Relayed.start();
  try {
    const tab = await page(
      { targetingKey: "ada" },
      { url: relayed.url, secret: relayed.keys.client },
    );
    await relayed.change(...flagThatIsOn("far"));
    await shows(tab, "far");
    await tab.context().close();
  } finally {
    await relayed.stop();
  }
});

test("a page speaks HTTP/2 with who has TLS, and its event stream comes by it", async () => {
  const file = (name) =>
    fileURLToPath(new URL(`../../crates/edge/tests/tls/${name}`, import.meta.url));
  const tls = ["--tls-cert", file("first.crt"), "--tls-key", file("first.key")];
  const relayed = await Relayed.start(...tls);
  try {
    const tab = await browser.tab();
    const network = await tab.context().newCDPSession(tab);
    const spoken = new Set();
    network.on("Network.responseReceived", ({ type, response }) => {
      if (response.url.startsWith(relayed.url)) spoken.add(`${type} ${response.protocol}`);
    });
    await network.send("Network.enable");
    await connect(tab, { targetingKey: "ada" }, { url: relayed.url, secret: relayed.keys.client });
    await relayed.change(...flagThatIsOn("secure"));
    await shows(tab, "secure");
    assert.ok(spoken.has("EventSource h2"), [...spoken].join(", "));
    for (const each of spoken) assert.match(each, / h2$/);
    await tab.context().close();
  } finally {
    await relayed.stop();
  }
});

test("polling, a change is seen and announced, and nothing else is", async () => {
  const tab = await page(
    { targetingKey: "ada" },
    { pollInterval: 200, changeDetection: "polling" },
  );
  const statuses = [];
  tab.on("response", (response) => {
    if (isQuestion(response)) statuses.push(response.status());
  });
  while (!statuses.includes(304)) await tab.waitForResponse(isQuestion);
  await server.change(...flagThatIsOn("polled"));
  await shows(tab, "polled");
  await tab.waitForFunction(() => window.changed.includes("polled"));
  assert.deepEqual(await tab.evaluate(() => window.changed), ["polled"]);
  await server.change({ kind: "archiveFlag", flag: "polled" });
  await tab.waitForFunction(() => window.isUnknown("polled"));
  await tab.context().close();
});

test("a bad key is refused, for the page to see", async () => {
  await assert.rejects(page({ targetingKey: "ada" }, { secret: "nobody's" }));
});
