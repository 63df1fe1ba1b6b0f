// Writes the licences of everything that is shipped inside the portal's files, and refuses a licence
// that was not looked at before.
import { readFile, readdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const ALLOWED = new Set([
  "MIT",
  "Apache-2.0",
  "ISC",
  "0BSD",
  "OFL-1.1",
  "BSD-3-Clause",
  "Unlicense",
  "(MIT OR CC0-1.0)",
]);

const root = fileURLToPath(new URL("../", import.meta.url));
const lock = JSON.parse(await readFile(`${root}package-lock.json`, "utf8"));
const parts = [];
for (const [path, { dev, link, optional }] of Object.entries(lock.packages)) {
  if (!path.startsWith("node_modules/") || dev || link || optional) continue;
  const { name, version, license } = JSON.parse(
    await readFile(`${root}${path}/package.json`, "utf8"),
  );
  if (!ALLOWED.has(license)) throw new Error(`${name} ${version}: licence ${license}`);
  const file = (await readdir(`${root}${path}`)).find((it) => /^licen[cs]e/i.test(it));
  const text = file ? await readFile(`${root}${path}/${file}`, "utf8") : "";
  parts.push(`${name} ${version} (${license})\n\n${text.trim()}\n`);
}
await writeFile(`${root}dist/site/licences.txt`, parts.toSorted().join(`\n${"-".repeat(72)}\n\n`));
