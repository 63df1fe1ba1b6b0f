// An SDK on a page of a real browser, as an adapter for the journeys. The page (a file under
// browser/pages) says on `window.sdk` how its SDK is asked.
import assert from "node:assert/strict";
import { open } from "../harness/browser.js";
import { asUser, flags } from "../harness/demo.js";
import { questions } from "../harness/journeys.js";

// What js-client-sdk does at any error, a lost connection as well.
const GIVES_UP = "polling, this SDK gives up for good when it loses its connection";

// For good: over HTTP, and closing a WebSocket.
const REFUSED = [401, 403, 4003];

/** An adapter for a page; `identity` makes the user that this SDK takes in `identify`. */
export function pageSdk(name, page, { poll, identity = asKeyId, cannot } = {}) {
  let browser;
  return {
    name,
    kind: "client",
    cannot: poll ? { away: GIVES_UP } : cannot,
    open: async () => (browser = await open(page)),
    close: () => browser.close(),
    async connect(server, { user, url = server.url, secret = server.keys.client }) {
      const tab = await browser.tab();
      const settings = { sdkKey: secret, url, user: asKeyId(user), poll };
      const program = new Program(tab, settings, identity);
      await tab.exposeFunction("closedWith", (code) => program.refuse(code));
      await program.connect();
      return program;
    },
  };
}

const asKeyId = (user) => asUser(user, "keyId");

class Program {
  #home;
  #settings;
  #identity;
  #messages = [];
  #refusals = [];
  #told = () => {};

  constructor(tab, settings, identity) {
    this.tab = tab;
    this.#home = tab.url();
    this.#settings = settings;
    this.#identity = identity;
    tab.on("websocket", (socket) =>
      socket.on("framereceived", ({ payload }) => this.#messages.push(JSON.parse(payload))),
    );
    tab.on("response", (response) => {
      if (!response.url().includes("/latest-all")) return;
      if (REFUSED.includes(response.status())) this.refuse(response.status());
      // A preflight's answer has no body, nor has one that says that nothing is new.
      this.#messages.push(response.json().catch(() => ({})));
    });
  }

  /** Makes the page's client; whoever wants it ready waits for that. */
  async connect() {
    await this.tab.evaluate(watchWebSockets);
    await this.tab.evaluate((settings) => {
      window.connecting = window.connect(settings);
      // A client that is refused says so much later.
      window.connecting.catch(() => {});
    }, this.#settings);
  }

  /** The page is opened again, for another user or by the same. */
  async restart(user) {
    if (user) this.#settings.user = asKeyId(user);
    await this.tab.goto(this.#home);
    await this.connect();
    await this.ready();
  }

  ready() {
    return this.tab.evaluate(() => window.connecting);
  }

  isReady() {
    return this.tab.evaluate(() => window.sdk?.isReady() ?? false);
  }

  async values() {
    const asked = Object.entries(flags).map(([flag, { type }]) => [flag, type]);
    const answers = await this.tab.evaluate(
      (asked) => asked.map(([flag, type]) => [flag, window.sdk.value(flag, type, null)]),
      asked,
    );
    return Object.fromEntries(answers);
  }

  shows(wanted) {
    return this.tab.waitForFunction(
      (asked) =>
        asked.every(([flag, missing, value]) => {
          return window.sdk.value(flag, "boolean", missing) === value;
        }),
      questions(wanted),
    );
  }

  // This SDK announces the flags of a message one by one, so it is the messages that are whole.
  arrivals(keys) {
    const start = this.#messages.length;
    const values = ({ data }) =>
      (data?.featureFlags ?? [])
        .filter(({ id }) => keys.includes(id))
        .map(({ id, variation }) => [id, variation === "true"]);
    return async () => {
      const messages = await Promise.all(this.#messages.slice(start));
      const found = messages.map((message) => Object.fromEntries(values(message)));
      return found.filter((flags) => Object.keys(flags).length > 0);
    };
  }

  identify(user) {
    return this.tab.evaluate((user) => window.sdk.identify(user), this.#identity(user));
  }

  track(event, value) {
    return this.tab.evaluate(([event, value]) => window.sdk.track(event, value), [event, value]);
  }

  async refused() {
    if (this.#refusals.length === 0) await new Promise((resolve) => (this.#told = resolve));
    assert.ok(REFUSED.includes(this.#refusals[0]), `refused with ${this.#refusals}`);
  }

  close() {
    return this.tab.context().close();
  }

  /** Told by the page: its connection was closed, or its request answered, with this code. */
  refuse(code) {
    this.#refusals.push(code);
    this.#told();
  }
}

/** On a page: tells the test with which code a WebSocket closes. */
function watchWebSockets() {
  const Native = window.WebSocket;
  window.WebSocket = class extends Native {
    constructor(...parameters) {
      super(...parameters);
      this.addEventListener("close", ({ code }) => window.closedWith(code));
    }
  };
}
