/** A real `burgee` process with a data folder of its own, and the API as its owner sees it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const target = process.env["CARGO_TARGET_DIR"] ?? path.join(root, "target");
export const binary = process.env["BURGEE_BIN"] ?? path.join(target, "debug", "burgee");

export const OWNER = { email: "owner@localhost", password: "vessel-harbor-9" };

export class Server {
  readonly url: string;
  /** The password that the first start printed. */
  readonly firstPassword: string;
  /** Where its data lies. */
  readonly folder: string;
  private readonly process: ChildProcess;
  private known: Promise<string> | undefined;

  private constructor(url: string, firstPassword: string, process: ChildProcess, folder: string) {
    this.url = url;
    this.firstPassword = firstPassword;
    this.process = process;
    this.folder = folder;
  }

  /** Starts one with the demo flags. */
  static async start(): Promise<Server> {
    const folder = await mkdtemp(path.join(tmpdir(), "burgee-portal-"));
    const port = await freePort();
    const listen = `127.0.0.1:${port}`;
    const args = ["server", "--listen", listen, "--metrics-listen", "127.0.0.1:0"];
    // Links, and the way back from a provider, lead to where browsers are.
    const known = ["--public-url", `http://${listen}`];
    const more = [...known, "--data-dir", folder, "--demo", "--requests-per-second", "0"];
    const started = spawn(binary, [...args, ...more], { stdio: ["ignore", "pipe", "pipe"] });
    const password = await printed(started, /with the password (\S+)/);
    return new Server(`http://${listen}`, password, started, folder);
  }

  async stop(): Promise<void> {
    const ended = once(this.process, "exit");
    this.process.kill();
    await ended;
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Signs in; the cookie. */
  async signIn(email = OWNER.email, password = OWNER.password): Promise<string> {
    const response = await fetch(`${this.url}/api/v1/session`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email, password }),
    });
    if (!response.ok) throw new Error(`sign in as ${email}: ${await response.text()}`);
    return (response.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  }

  /** The owner's session: one for all tests, but for those that end sessions. */
  owner(): Promise<string> {
    this.known ??= this.signIn();
    return this.known;
  }

  /** Calls the API; anything but success is an error with the answer in it. */
  async call<T>(cookie: string, method: string, route: string, body?: unknown): Promise<T> {
    const response = await fetch(`${this.url}/api/v1${route}`, {
      method,
      headers: { cookie, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${text}`);
    return (text === "" ? undefined : JSON.parse(text)) as T;
  }
}

/** What a process says that the pattern finds. */
function printed(from: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let log = "";
    const read = (text: Buffer) => {
      log += text.toString();
      const found = pattern.exec(log)?.[1];
      if (found) resolve(found);
    };
    from.stdout?.on("data", read);
    from.stderr?.on("data", read);
    from.on("error", reject);
    from.on("exit", (code) => reject(new Error(`${binary} ended with ${code}:\n${log}`)));
  });
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
