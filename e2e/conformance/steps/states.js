// A provider in each state. That of servers has none: it is ready at once and keeps nothing that
// could be old. So here it is that of browsers, which asks for all flags when it begins, and runs
// in Node as well.
import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { After, Given } from "@cucumber/cucumber";
import { OFREPWebProvider } from "@openfeature/ofrep-web-provider";
import { OpenFeature, ProviderEvents } from "@openfeature/web-sdk";
import { freePort } from "../../harness/process.js";
import { Wire } from "../../harness/wire.js";
import { keys, server } from "./provider.js";

/** So often it asks whether something changed, in ms: soon, as a scenario waits for it. */
const POLLED = { changeDetection: "polling", pollInterval: 20 };

After(async function () {
  await OpenFeature.clearProviders();
  for (const close of this.closing) await close();
});

function providerOf(baseUrl, secret, options) {
  const headers = [["X-API-Key", secret]];
  return new OFREPWebProvider({ baseUrl, headers, cacheMode: "disabled", ...options });
}

/** Resolves when the provider has begun; it may have failed to. */
function begin(world, provider) {
  world.client = OpenFeature.getClient();
  return OpenFeature.setProviderAndWait(provider, { targetingKey: world.user });
}

Given("a not ready provider", async function () {
  // Somebody who listens and says nothing.
  const silent = http.createServer(() => {}).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const begun = begin(this, providerOf(`http://127.0.0.1:${silent.address().port}`, keys.client));
  this.closing.push(async () => {
    silent.closeAllConnections();
    silent.close();
    await assert.rejects(begun);
  });
});

Given("a(n) error provider", async function () {
  const nobody = `http://127.0.0.1:${await freePort()}`;
  await assert.rejects(begin(this, providerOf(nobody, keys.client)));
});

Given("a fatal provider", async function () {
  await assert.rejects(begin(this, providerOf(server.url, "nobody's")));
});

Given("a stale provider", { timeout: 60_000 }, async function () {
  const wire = await Wire.to(server.port);
  this.closing.push(() => wire.close());
  await begin(this, providerOf(wire.url, keys.client, POLLED));
  const stale = new Promise((done) => this.client.addHandler(ProviderEvents.Stale, done));
  wire.cut();
  await stale;
});
