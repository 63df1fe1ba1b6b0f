// A real server with a data folder of its own, driven from outside as users do: by its command line
// and its API.
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { Process, binary, freePort } from "./process.js";

const run = promisify(execFile);

/** The project and the environment that `--demo` seeds. */
export const DEMO = { project: "demo", environment: "prod" };

export class Server {
  #process;

  /**
   * Starts a server with the demo flags, and with more arguments where they are given; `stop()`
   * removes what it left.
   */
  static async start(...more) {
    const server = new Server();
    server.dataDir = await mkdtemp(path.join(os.tmpdir(), "burgee-e2e-"));
    server.port = await freePort();
    const args = ["--data-dir", server.dataDir, "--demo", ...more];
    server.#process = new Process("server", server.port, args);
    server.url = server.#process.url;
    await server.up();
    server.keys = await server.cli("sdk-keys", ...demoArguments(), "--json");
    const made = await server.cli(
      "token",
      "create",
      "--name",
      "e2e",
      "--policy",
      "owner",
      "--json",
    );
    server.token = made.token;
    return server;
  }

  /** Starts the process (again, on the same port and data) and waits until it is ready. */
  up() {
    return this.#process.up();
  }

  /** Ends the process: politely, or with SIGKILL as a crash would. */
  down(signal) {
    return this.#process.down(signal);
  }

  async stop() {
    await this.down();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  /** Runs a command of the command line on this server's data; gives its JSON. */
  async cli(...args) {
    const { stdout } = await run(binary, [...args, "--data-dir", this.dataDir]);
    return JSON.parse(stdout);
  }

  /** What Prometheus would read. */
  metrics() {
    return this.#process.metrics();
  }

  /** Calls the API under /api/v1; anything but success is an error with the answer in it. */
  async api(method, route, body) {
    const response = await fetch(`${this.url}/api/v1${route}`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  }

  /** Applies commands as one change set to the demo project. */
  change(...commands) {
    const placed = commands.map((command) =>
      WITHOUT_ENVIRONMENT.has(command.kind)
        ? command
        : { environment: DEMO.environment, ...command },
    );
    return this.api("POST", `/projects/${DEMO.project}/changes`, { commands: placed });
  }
}

// Commands on the flag itself: they name no environment.
const WITHOUT_ENVIRONMENT = new Set([
  "createFlag",
  "updateVariation",
  "setVariations",
  "archiveFlag",
  "restoreFlag",
  "deleteFlag",
]);

function demoArguments() {
  return ["--project", DEMO.project, "--environment", DEMO.environment];
}
