// Packs what Vite built for the binary: texts as br (11) and gz, the rest as it is. The server
// answers with these bytes; it packs nothing itself.
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));
const site = path.join(dist, "site");
const packed = path.join(dist, "packed");

await rm(packed, { recursive: true, force: true });
for (const entry of await readdir(site, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue;
  const from = path.join(entry.parentPath, entry.name);
  const name = path.relative(site, from);
  // For the budget, not for browsers.
  if (name.startsWith(".vite")) continue;
  const to = path.join(packed, name);
  await mkdir(path.dirname(to), { recursive: true });
  const bytes = await readFile(from);
  if (name === "index.html" || name.endsWith(".woff2")) {
    await writeFile(to, bytes);
    continue;
  }
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
  await writeFile(`${to}.br`, brotliCompressSync(bytes, options));
  await writeFile(`${to}.gz`, gzipSync(bytes, { level: 9 }));
}
