import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Hand } from "./hand.ts";
import { expect, test } from "./test.ts";

const portal = fileURLToPath(new URL("..", import.meta.url));

test("from nothing to a flag that is seen in one's own program", async ({
  owner,
  server,
  call,
}) => {
  await call("POST", "/projects", { key: "first-day", name: "First day" });
  await call("POST", "/projects/first-day/environments", { key: "dev", name: "Development" });
  await owner.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await owner.goto(`${server.url}/default/first-day/flags`);
  await expect(owner.getByRole("heading", { name: "Connect a program" })).toBeVisible();
  const hand = new Hand(owner);
  await hand.click(owner.getByRole("button", { name: "Node" }));
  await expect(owner.getByText("Listening for a program in")).toBeVisible();
  await hand.click(owner.getByRole("button", { name: "Copy the program" }));
  const program = await Program.start(await owner.evaluate(() => navigator.clipboard.readText()));
  try {
    await program.says("first-flag is false");
    await expect(owner.getByText(/A program came to/)).toBeVisible();
    await expect(owner.getByText("It asked for first-flag 1 time in the last hour")).toBeVisible();
    await hand.click(owner.getByRole("switch", { name: "first-flag in dev" }));
    await program.says("first-flag is true");
    hand.needed("firstEvaluation");
    await expect(owner.getByRole("switch", { name: "first-flag in dev" })).toBeChecked();
    await expect(owner.getByText(/true 1/)).toBeVisible();
  } finally {
    await program.stop();
  }
  // From now on Home is the list.
  await owner.reload();
  await expect(owner.getByRole("link", { name: "first-flag" })).toBeVisible();
});

/** No colours: what it says is read. */
const plain = { ...process.env, FORCE_COLOR: "0" };

/** What was copied, run as somebody would: saved beside the SDK, and started. */
class Program {
  private said = "";
  private heard = () => {};

  private constructor(
    private readonly process: ReturnType<typeof spawn>,
    private readonly folder: string,
  ) {
    const read = (text: Buffer) => {
      this.said += text.toString();
      this.heard();
    };
    process.stdout?.on("data", read);
    process.stderr?.on("data", read);
  }

  static async start(text: string): Promise<Program> {
    const folder = await mkdtemp(path.join(portal, "first-flag-"));
    const file = path.join(folder, "first-flag.mjs");
    await writeFile(file, text);
    return new Program(spawn("node", [file], { env: plain }), folder);
  }

  /** Waits until it has said this. */
  says(what: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`not said: ${what}\n${this.said}`)), 15_000);
      this.heard = () => {
        if (!this.said.includes(what)) return;
        clearTimeout(late);
        resolve();
      };
      this.heard();
    });
  }

  async stop(): Promise<void> {
    this.process.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}
