// What a browser loads before the flags list can be used, and for each further page, in brotli.
// Fails where it is more than was decided on.
import { readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FIRST_SCRIPTS = 200 * 1024;
const FIRST_STYLES = 15 * 1024;
const FURTHER_SCRIPTS = 60 * 1024;

/** Loaded in a page, when somebody uses it: the editor of JSON is CodeMirror. */
const ON_USE = { "src/components/json-editor.tsx": 127 * 1024 };

/** What the flags list takes: the entry, the list, and one language. */
const FIRST = ["index.html", "src/app/home.tsx", "src/i18n/en.ts"];

const dist = fileURLToPath(new URL("../dist/", import.meta.url));
const manifest = JSON.parse(readFileSync(`${dist}site/.vite/manifest.json`, "utf8"));

function closure(names) {
  const chunks = new Set();
  const visit = (name) => {
    if (chunks.has(name)) return;
    chunks.add(name);
    manifest[name].imports?.forEach(visit);
  };
  names.forEach(visit);
  return chunks;
}

const size = (file) => statSync(`${dist}packed/${file}.br`).size;
const scripts = (chunks) =>
  [...chunks].map((name) => size(manifest[name].file)).reduce((a, b) => a + b, 0);
const styles = (chunks) => {
  const files = new Set([...chunks].flatMap((name) => manifest[name].css ?? []));
  return [...files].map(size).reduce((a, b) => a + b, 0);
};

const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`;
const found = [];
const first = closure(FIRST);
const report = (what, bytes, limit) => {
  console.log(`${what}: ${kib(bytes)} of ${kib(limit)}`);
  if (bytes > limit) found.push(what);
};
report("scripts until the flags list", scripts(first), FIRST_SCRIPTS);
report("styles until the flags list", styles(first), FIRST_STYLES);
for (const [name, chunk] of Object.entries(manifest)) {
  if (!chunk.isDynamicEntry || first.has(name) || name.startsWith("src/i18n/")) continue;
  const more = [...closure([name])].filter((it) => !first.has(it));
  report(name, scripts(more), ON_USE[name] ?? FURTHER_SCRIPTS);
}
if (found.length > 0) {
  console.error(`over the budget: ${found.join(", ")}`);
  process.exit(1);
}
