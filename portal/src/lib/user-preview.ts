/** What a file of users begins with, before it is sent; the server reads it whole. */
import type { FileKind } from "./api/user-files";

export interface Previewed {
  kind: FileKind;
  /** The first users. */
  users: { key: string; name: string; properties: Record<string, string> }[];
  /** Lines among them that are wrong, from 1, and how. */
  wrong: { line: number; code: "json" | "userKey" | "columns" }[];
  /** Whether there is more than what was looked at. */
  more: boolean;
}

/** So much of a file is looked at. */
export const LOOKED_AT = 64 * 1024;

/** So many users of it are shown. */
const SHOWN = 5;

/** `text` is the beginning of the file; `whole` says whether it is all of it. */
export function preview(text: string, whole: boolean): Previewed {
  const kind: FileKind = /^\s*[{[]/.test(text) ? "jsonLines" : "csv";
  const read: Previewed = { kind, users: [], wrong: [], more: !whole };
  const rows = kind === "csv" ? table(text) : text.split(/\r?\n/);
  // The last line may be half of one.
  const lines = whole ? rows : rows.slice(0, -1);
  if (kind === "csv") csv(read, lines as string[][]);
  else jsonLines(read, lines as string[]);
  read.more ||= read.users.length > SHOWN;
  read.users = read.users.slice(0, SHOWN);
  return read;
}

function jsonLines(read: Previewed, lines: string[]) {
  lines.forEach((text, index) => {
    if (text.trim() === "") return;
    const line = index + 1;
    const it = parsed(text);
    if (!it) read.wrong.push({ line, code: "json" });
    else if (typeof it["key"] !== "string" || it["key"].trim() === "") {
      read.wrong.push({ line, code: "userKey" });
    } else {
      const properties = Object.entries(it["properties"] ?? {}).map(
        ([name, value]) => [name, String(value)] as const,
      );
      const name = typeof it["name"] === "string" ? it["name"] : "";
      read.users.push({ key: it["key"], name, properties: Object.fromEntries(properties) });
    }
  });
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const read: unknown = JSON.parse(text);
    const object = typeof read === "object" && read !== null && !Array.isArray(read);
    return object ? (read as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function csv(read: Previewed, [head = [], ...rows]: string[][]) {
  const key = head.indexOf("key");
  const name = head.indexOf("name");
  if (key < 0) {
    read.wrong.push({ line: 1, code: "columns" });
    return;
  }
  rows.forEach((cells, index) => {
    if (cells.length === 1 && cells[0] === "") return;
    if ((cells[key] ?? "").trim() === "") {
      read.wrong.push({ line: index + 2, code: "userKey" });
      return;
    }
    const properties: Record<string, string> = {};
    head.forEach((column, at) => {
      const cell = cells[at] ?? "";
      if (column === "properties") Object.assign(properties, parsed(cell) ?? {});
      else if (at !== key && at !== name && cell !== "") properties[column] = cell;
    });
    read.users.push({ key: cells[key] ?? "", name: cells[name] ?? "", properties });
  });
}

/** Rows of cells; one in quotes may have commas, line breaks and doubled quotes. */
function table(text: string): string[][] {
  const rows: string[][] = [[]];
  const cell = /("(?:[^"]|"")*"|[^,\r\n]*)(,|\r?\n|$)/g;
  for (const [, raw = "", end = ""] of text.matchAll(cell)) {
    const value = raw.startsWith('"') ? raw.slice(1, -1).replaceAll('""', '"') : raw;
    rows.at(-1)?.push(value);
    if (end !== "," && end !== "") rows.push([]);
    if (end === "") break;
  }
  return rows;
}
