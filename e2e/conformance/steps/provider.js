// A server with the specification's flags, and OpenFeature's own provider of servers, unmodified.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { After, AfterAll, Before, BeforeAll, Given, Then } from "@cucumber/cucumber";
import { OFREPProvider } from "@openfeature/ofrep-provider";
import {
  AsyncLocalStorageTransactionContextPropagator,
  OpenFeature,
} from "@openfeature/server-sdk";
import { DEMO, Server } from "../../harness/server.js";
import { allAreThere, isExcluded } from "../excluded.js";
import { commands } from "../flags.js";

/** Its flags are the specification's alone; those of the demo were never released here. */
const ENVIRONMENT = "conformance";

/** Starting a debug build takes a while where others build. */
const MOST = { timeout: 120_000 };

export let server;
export let keys;

BeforeAll(MOST, async () => {
  server = await Server.start();
  await server.api("POST", `/projects/${DEMO.project}/environments`, { key: ENVIRONMENT });
  await server.change(...commands(ENVIRONMENT));
  const where = ["--project", DEMO.project, "--environment", ENVIRONMENT];
  keys = await server.cli("sdk-keys", ...where, "--json");
});

AfterAll(MOST, async () => {
  await OpenFeature.close();
  await server.stop();
  allAreThere();
});

Before(function ({ pickle }) {
  this.closing = [];
  if (isExcluded(pickle)) return "skipped";
  // Each is another user, by whom the server knows what was asked.
  this.user = randomUUID();
  this.context = {};
  OpenFeature.setContext({ targetingKey: this.user });
});

After(async () => {
  OpenFeature.clearHooks();
  await OpenFeature.clearProviders();
});

Given(/^a stable provider(?: with retrievable context is registered)?$/, async function () {
  // With a client key, as metadata says to server keys what decided.
  const headers = [["X-API-Key", keys.client]];
  const provider = new OFREPProvider({ baseUrl: server.url, headers });
  await OpenFeature.setProviderAndWait(provider);
  OpenFeature.setTransactionContextPropagator(new AsyncLocalStorageTransactionContextPropagator());
  this.client = OpenFeature.getClient();
});

Then("the provider status should be {string}", function (status) {
  assert.equal(this.client.providerStatus, status);
});
