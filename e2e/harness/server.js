// A real `burgee` process with a data folder of its own, driven from outside as users do:
// by its command line and its API.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Fatal, eventually } from "./eventually.js";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const target = process.env.CARGO_TARGET_DIR ?? path.join(root, "target");
/** The program under test. */
export const binary = process.env.BURGEE_BIN ?? path.join(target, "debug", "burgee");

/** The project and the environment that `--demo` seeds. */
export const DEMO = { project: "demo", environment: "prod" };

export class Server {
  #process;
  #more = [];
  #log = "";

  /**
   * Starts a server with the demo flags, and with more arguments where they are given; `stop()`
   * removes what it left.
   */
  static async start(...more) {
    const server = new Server();
    server.#more = more;
    server.dataDir = await mkdtemp(path.join(os.tmpdir(), "burgee-e2e-"));
    server.port = await freePort();
    server.url = `http://127.0.0.1:${server.port}`;
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
  async up() {
    const listen = `127.0.0.1:${this.port}`;
    const args = ["server", "--listen", listen, "--metrics-listen", "127.0.0.1:0"];
    this.#process = spawn(binary, [...args, "--data-dir", this.dataDir, "--demo", ...this.#more]);
    let failed;
    this.#process.on("error", (error) => (failed = error));
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => (this.#log += text));
    }
    await eventually(async () => {
      if (failed) throw new Fatal(`${binary} does not start (was it built?): ${failed.message}`);
      if (this.#process.exitCode !== null) {
        throw new Fatal(`burgee ended with ${this.#process.exitCode}:\n${this.#log}`);
      }
      return (await fetch(`${this.url}/health/readiness`)).status === 200;
    }, "the server is ready");
  }

  /** Ends the process: politely, or with SIGKILL as a crash would. */
  async down(signal = "SIGTERM") {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, "exit");
    this.#process.kill(signal);
    await ended;
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
  async metrics() {
    // The port was a free one; the log says which.
    const address = /metrics=(\S+)/.exec(this.#log)[1];
    return (await fetch(`http://${address}/metrics`)).text();
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

/** A port that nobody listens on. */
export async function freePort() {
  const probe = net.createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  await once(probe, "close");
  return port;
}
