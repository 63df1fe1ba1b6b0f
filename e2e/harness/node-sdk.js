// FeatBit's Node SDK, as a program sets it up.
import assert from "node:assert/strict";
import featbit from "@featbit/node-server-sdk";
import { asUser, flags } from "./demo.js";
import { questions } from "./journeys.js";

const { DataSyncModeEnum, FbClientBuilder } = featbit;

/** An adapter for the journeys: a program that asks for one user at a time. */
export function nodeSdk(name, poll) {
  return {
    name,
    kind: "server",
    connect: (server, { user, url = server.url, secret = server.keys.server }) =>
      new Program(secret, url, user, poll),
  };
}

/** A client that streams. */
export function streaming(sdkKey, url) {
  return client(sdkKey, url, false, () => {});
}

/** Waits, on the SDK's own change events, until `condition` holds. */
export async function until(client, condition) {
  let check;
  try {
    await new Promise((resolve, reject) => {
      check = () => Promise.resolve(condition()).then((holds) => holds && resolve(), reject);
      client.on("update", check);
      check();
    });
  } finally {
    client.off("update", check);
  }
}

class Program {
  #client;
  #user;
  #lines = [];
  #refused;

  constructor(secret, url, user, poll) {
    this.identify(user);
    // Streaming, the SDK decides about coming back in the turn of its event loop in which it is
    // closed. Polling, it asks again after every refusal.
    const sign = poll ? /Unexpected status code: 40[13]/ : /WebSocket closed/;
    this.#refused = new Promise((resolve) => {
      this.#client = client(secret, url, poll, (line) => {
        this.#lines.push(line);
        if (sign.test(line)) setImmediate(resolve);
      });
    });
  }

  ready() {
    return this.#client.waitForInitialization();
  }

  isReady() {
    return this.#client.initialized();
  }

  async values() {
    const asked = Object.entries(flags).map(async ([flag, { type }]) => {
      const method = `${type === "boolean" ? "bool" : type}Variation`;
      return [flag, await this.#client[method](flag, this.#user, undefined)];
    });
    return Object.fromEntries(await Promise.all(asked));
  }

  shows(wanted) {
    const asked = questions(wanted);
    return until(this.#client, () =>
      asked.every(([flag, missing, value]) => this.#now(flag, missing) === value),
    );
  }

  arrivals(keys) {
    const seen = [];
    const look = () =>
      seen.push(Object.fromEntries(keys.map((flag) => [flag, this.#now(flag, true)])));
    this.#client.on("update", look);
    return () => {
      this.#client.off("update", look);
      return seen;
    };
  }

  identify(user) {
    this.#user = asUser(user, "key");
  }

  track(event, value) {
    this.#client.track(this.#user, event, value);
  }

  async refused() {
    await this.#refused;
    assert.deepEqual(
      this.#lines.filter((line) => line.includes("reconnect")),
      [],
    );
  }

  close() {
    return this.#client.close();
  }

  /** A boolean flag in this very moment; the SDK's public methods promise the same for the next. */
  #now(flag, missing) {
    const asBoolean = (text) => ({ isSucceeded: true, value: text === "true" });
    return this.#client.evaluateCore(flag, this.#user, missing, asBoolean).value;
  }
}

function client(sdkKey, url, poll, log) {
  const builder = new FbClientBuilder()
    .sdkKey(sdkKey)
    .eventsUri(url)
    .flushInterval(200)
    .logger(Object.fromEntries(LEVELS.map((level) => [level, (line) => log(String(line))])));
  if (!poll) return builder.streamingUri(url.replace("http", "ws")).build();
  const polls = builder.dataSyncMode(DataSyncModeEnum.POLLING);
  return polls.pollingUri(url).pollingInterval(300).build();
}

const LEVELS = ["error", "warn", "info", "debug"];
