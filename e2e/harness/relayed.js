// A server with a relay before it: programs come to the relay, people to the server.
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { Process, freePort } from "./process.js";
import { Server } from "./server.js";

/** What the journeys ask of a `Server`, with the relay's address as that for SDKs. */
export class Relayed {
  #server;
  #relay;
  #folder;

  /** Starts both, the relay with more arguments where they are given. */
  static async start(...more) {
    const relayed = new Relayed();
    const server = (relayed.#server = await Server.start());
    const key = await server.api("POST", "/relay-keys", { name: "e2e", scope: { all: true } });
    relayed.#folder = await mkdtemp(path.join(os.tmpdir(), "burgee-e2e-relay-"));
    const from = ["--upstream", server.url, "--key", key.secret, "--data-dir", relayed.#folder];
    relayed.port = await freePort();
    relayed.#relay = new Process("relay", relayed.port, [...from, ...more]);
    relayed.url = relayed.#relay.url;
    relayed.keys = server.keys;
    relayed.dataDir = server.dataDir;
    await relayed.#relay.up();
    return relayed;
  }

  /** Starts the server again, and the relay. */
  async up() {
    await this.#server.up();
    await this.#relay.up();
  }

  /** Ends both. */
  async down(signal) {
    await this.#relay.down(signal);
    await this.#server.down(signal);
  }

  async stop() {
    await this.down();
    await this.#server.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  api(...asked) {
    return this.#server.api(...asked);
  }

  change(...commands) {
    return this.#server.change(...commands);
  }
}
