// docs/tour.md, its own text word for word; only the port is another. Its blocks are one script,
// and what stands below a block is what it must print.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { fenced } from "../harness/markdown.js";
import { binary, freePort } from "../harness/process.js";

const PAGE = new URL("../../docs/tour.md", import.meta.url);
// No answer has it: JSON writes it as an escape.
const END_OF_BLOCK = "\u001e";

let folder;
before(async () => (folder = await mkdtemp(path.join(os.tmpdir(), "burgee-tour-"))));
after(() => rm(folder, { recursive: true }));

test("the tour prints what it says", async () => {
  const address = `127.0.0.1:${await freePort()}`;
  const text = await readFile(PAGE, "utf8");
  const steps = stepsOf(fenced(text.replaceAll("127.0.0.1:5100", address)));
  const script = steps.map(({ run }) => `${run}printf '${END_OF_BLOCK}'\n`).join("");

  const { error, stdout, stderr } = await bash(script, address);
  const printed = stdout.split(END_OF_BLOCK);
  steps.forEach(({ run, prints }, n) => {
    assert.equal(printed[n], prints, `what this block prints:\n${run}\n${stderr}`);
  });
  assert.equal(error, null);
});

/** Blocks to run, each with what it prints (nothing, where the page says nothing). */
function stepsOf(blocks) {
  const steps = [];
  for (const { language, body } of blocks) {
    if (language === "sh") steps.push({ run: body, prints: "" });
    else if (language === "text") steps.at(-1).prints = body;
    else throw new Error(`the tour has a block of ${language}, which nothing runs`);
  }
  assert.ok(steps.length > 0, "the tour has blocks to run");
  return steps;
}

/** Runs a script to its end or its first failure; the server it starts ends with it. */
function bash(script, address) {
  const env = {
    ...process.env,
    PATH: `${path.dirname(binary)}:${process.env.PATH}`,
    BURGEE_LISTEN: address,
    BURGEE_METRICS_LISTEN: "127.0.0.1:0",
  };
  const whole = `trap 'kill $(jobs -p) 2> /dev/null; wait' EXIT\n${script}`;
  return new Promise((resolve) => {
    execFile("bash", ["-euo", "pipefail", "-c", whole], { cwd: folder, env }, (...ended) => {
      const [error, stdout, stderr] = ended;
      resolve({ error, stdout, stderr });
    });
  });
}
