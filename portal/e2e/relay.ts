/** A real relay, started by the command that the portal shows. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { binary } from "./server.ts";

export class Relay {
  private constructor(
    private readonly process: ChildProcess,
    private readonly folder: string,
  ) {}

  /** Runs the command as it was copied, on ports that are free. */
  static async start(command: string, name: string): Promise<Relay> {
    const [program, ...copied] = command.split(" ");
    if (program !== "burgee") throw new Error(`not a command of ours: ${command}`);
    const folder = await mkdtemp(path.join(tmpdir(), "burgee-relay-"));
    const listen = ["--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0"];
    const args = [...copied, ...listen, "--data-dir", folder, "--name", name];
    // A group of its own: what stands before the program, as in development, ends with it.
    const started = spawn(binary, args, { stdio: "ignore", detached: true });
    await once(started, "spawn");
    return new Relay(started, folder);
  }

  async stop(): Promise<void> {
    const { pid, exitCode } = this.process;
    if (pid !== undefined && exitCode === null) {
      const ended = once(this.process, "exit");
      process.kill(-pid, "SIGKILL");
      await ended;
    }
    await rm(this.folder, { recursive: true, force: true });
  }
}
