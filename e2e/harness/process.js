// A real `burgee` process that can be ended and started again on its port.
import { spawn } from "node:child_process";
import { once } from "node:events";
import net from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Fatal, eventually } from "./eventually.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const target = process.env.CARGO_TARGET_DIR ?? path.join(root, "target");
/** The program under test. */
export const binary = process.env.BURGEE_BIN ?? path.join(target, "debug", "burgee");

export class Process {
  #args;
  #child;
  #log = "";

  /** `burgee <command>` on a port, with more arguments; `up()` starts it. */
  constructor(command, port, args) {
    const scheme = args.includes("--tls-cert") ? "https" : "http";
    this.url = `${scheme}://127.0.0.1:${port}`;
    const listen = ["--listen", `127.0.0.1:${port}`, "--metrics-listen", "127.0.0.1:0"];
    this.#args = [command, ...listen, ...args];
  }

  /** Starts it (again) and waits until it is ready. */
  async up() {
    this.#log = "";
    const child = (this.#child = spawn(binary, this.#args));
    let failed;
    child.on("error", (error) => (failed = error));
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => (this.#log += text));
    }
    await eventually(async () => {
      if (failed) throw new Fatal(`${binary} does not start (was it built?): ${failed.message}`);
      if (child.exitCode !== null) {
        throw new Fatal(`burgee ended with ${child.exitCode}:\n${this.#log}`);
      }
      const ready = await fetch(`${this.#metricsUrl()}/health/readiness`);
      return ready.status === 200;
    }, "the process is ready");
  }

  /** Ends it: politely, or with SIGKILL as a crash would. */
  async down(signal = "SIGTERM") {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill(signal);
    await ended;
  }

  /** What Prometheus would read. */
  async metrics() {
    return (await fetch(`${this.#metricsUrl()}/metrics`)).text();
  }

  /** Where it is asked how it is, without TLS. The port is a free one; the log says which. */
  #metricsUrl() {
    const [, address] = /metrics=(\S+)/.exec(this.#log);
    return `http://${address}`;
  }
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
