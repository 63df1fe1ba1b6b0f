// The scenarios that are left out: those of the table in README.md, and no others.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const page = readFileSync(new URL("README.md", import.meta.url), "utf8");
const [, table] = page.split("\n## What is left out\n");

/** `| feature | scenario | a text in one of its steps | with | … |`, in the order of the page. */
const rows = Array.from(
  table.matchAll(/^\| `(\w+\.feature)` +\| (.+?) +\| (?:`(.+?)`)? *\| (\w+) +\|/gm),
  ([, feature, scenario, part, provider]) => ({ feature, scenario, part, provider, found: 0 }),
);

/** Whether the page says that a scenario is left out with Node's provider. */
export function isExcluded({ uri, name, steps }) {
  const meant = rows.filter(
    ({ feature, scenario, part }) =>
      uri.endsWith(`/${feature}`) &&
      name === scenario &&
      (!part || steps.some(({ text }) => text.includes(part))),
  );
  for (const row of meant) row.found += 1;
  return meant.some(({ provider }) => provider === "both" || provider === "Node");
}

/** Fails where the page speaks of what is not there, with whichever provider. */
export function allAreThere() {
  assert.ok(rows.length > 0);
  const unknown = rows.filter(({ found }) => found === 0);
  assert.deepEqual(unknown, [], "left out, but in no feature");
}
