/** Users' keys as people bring them: typed, pasted from a sheet, or in a file. */

export interface Keys {
  /** Each once, in their order. */
  keys: string[];
  /** How many were there more than once. */
  duplicates: number;
}

/** Heads of the column of keys, where a sheet has several. */
const HEAD = /^(key|key[ _-]?id|id|user|user[ _-]?(id|key))$/i;
/** Heads that nobody's key is. */
const SURE_HEAD = /^(key[ _-]?id|user[ _-]?(id|key))$/i;

/**
 * The keys of a text: lines, or with commas, semicolons or tabs between them; quoted as in CSV, or
 * a JSON list. Of a sheet with a head that says which column has them, that column.
 */
export function parseKeys(text: string): Keys {
  const bare = text.replace(/^\uFEFF/, "");
  return distinct(listed(bare) ?? column(records(bare)));
}

function listed(text: string): string[] | undefined {
  if (!text.trimStart().startsWith("[")) return undefined;
  try {
    const read: unknown = JSON.parse(text);
    if (!Array.isArray(read)) return undefined;
    return read.map((it) => (typeof it === "object" ? "" : String(it)));
  } catch {
    return undefined;
  }
}

function distinct(found: string[]): Keys {
  const named = found.filter((it) => it !== "");
  const keys = [...new Set(named)];
  return { keys, duplicates: named.length - keys.length };
}

function column(rows: string[][]): string[] {
  const [head = [], ...rest] = rows;
  const at = head.findIndex((it) => HEAD.test(it));
  const whole = rest.length > 0 && head.length > 1 && at >= 0;
  if (whole) return rest.map((row) => row[at] ?? "");
  const named = rest.length > 0 && head.length === 1 && SURE_HEAD.test(head[0] ?? "");
  return (named ? rest : rows).flat();
}

/** Lines, each of fields. A quote in front of a field goes on to the next one, over separators. */
function records(text: string): string[][] {
  const rows: string[][] = [];
  const field = / *"((?:[^"]|"")*)"[^,;\t\r\n]*|[^,;\t\r\n]*/y;
  let row: string[] = [];
  let at = 0;
  while (at <= text.length) {
    field.lastIndex = at;
    const [all = "", quoted] = field.exec(text) ?? [];
    row.push(quoted === undefined ? all.trim() : quoted.replaceAll('""', '"').trim());
    at += all.length;
    const next = text[at];
    at += 1;
    if (next !== "\n" && next !== "\r" && next !== undefined) continue;
    if (row.some((it) => it !== "")) rows.push(row);
    row = [];
  }
  return rows;
}

/** The keys with more of them; how many of those are new. */
export function joined(
  keys: readonly string[],
  more: readonly string[],
): { keys: string[]; added: number } {
  const known = new Set(keys);
  const fresh = more.filter((it) => !known.has(it));
  return { keys: [...keys, ...fresh], added: fresh.length };
}

/** The keys without others. */
export function keysWithout(keys: readonly string[], others: readonly string[]): string[] {
  const gone = new Set(others);
  return keys.filter((it) => !gone.has(it));
}

/** The keys as a file that `parseKeys` reads. */
export function writtenKeys(keys: readonly string[]): string {
  const lines = keys.map((it) =>
    /[",;\t\r\n]|^\[/.test(it) ? `"${it.replaceAll('"', '""')}"` : it,
  );
  return `${lines.join("\n")}\n`;
}
