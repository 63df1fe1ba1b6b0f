// The first five minutes of README.md, its own text word for word; only the port is another.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { eventually } from "../harness/eventually.js";
import { fenced } from "../harness/markdown.js";
import { binary } from "../harness/process.js";
import { Server } from "../harness/server.js";

const here = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

let server;
let folder;
let blocks;
before(async () => {
  server = await Server.start();
  folder = await mkdtemp(path.join(os.tmpdir(), "burgee-readme-"));
  await symlink(server.dataDir, path.join(folder, "data"));
  await symlink(here("node_modules"), path.join(folder, "node_modules"));
  const text = await readFile(here("../README.md"), "utf8");
  const all = fenced(text.replaceAll("127.0.0.1:5100", `127.0.0.1:${server.port}`));
  blocks = (language) => all.filter((it) => it.language === language).map((it) => it.body);
});
after(async () => {
  await rm(folder, { recursive: true });
  await server.stop();
});

test("the programs of the README show the change that it makes", async () => {
  const [, askForKeys, changeTheFlag] = blocks("sh");
  const [, key] = /^server +(\S+)$/m.exec(await shell(askForKeys));
  const node = await program(process.execPath, "first.mjs", blocks("js")[0], key);
  const python = await program(here(".venv/bin/python"), "first.py", blocks("python")[0], key);

  const shows = (text) => () =>
    [node, python].every(({ output }) => output().toLowerCase().includes(text));
  await eventually(shows("returns-true is true"), "both programs show the value");
  const answer = JSON.parse(await shell(changeTheFlag));
  assert.ok(answer.diff.length > 0, "the answer says what changed");
  await eventually(shows("returns-true is false"), "both programs show the change");
  node.stop();
  python.stop();
});

async function shell(script) {
  const env = { ...process.env, PATH: `${path.dirname(binary)}:${process.env.PATH}` };
  const run = promisify(execFile)("bash", ["-euc", script], { cwd: folder, env });
  return (await run).stdout;
}

async function program(interpreter, name, text, key) {
  await writeFile(path.join(folder, name), text);
  const child = spawn(interpreter, [name, key], { cwd: folder });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => (output += text));
  }
  return { output: () => output, stop: () => child.kill("SIGKILL") };
}
