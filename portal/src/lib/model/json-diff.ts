/** What differs between two JSON values, by path and not by line. */

export interface JsonChange {
  /** `tiers[0].requests`; empty for the whole. */
  path: string;
  /** As JSON; absent where it was not there, or is not any more. */
  before?: string;
  after?: string;
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** The changes from one text to another; undefined where either is no object or list of JSON. */
export function jsonDiff(before: string, after: string): JsonChange[] | undefined {
  const [a, b] = [read(before), read(after)];
  if (a === undefined || b === undefined) return undefined;
  const found: JsonChange[] = [];
  compare(a, b, "", found);
  return found;
}

function read(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

const NAME = /^[A-Za-z_$][\w$]*$/;

function inside(path: string, key: string): string {
  if (!NAME.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === "" ? key : `${path}.${key}`;
}

const isRecord = (value: Json): value is { [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Keys in an order of their own: an object whose keys moved is the same. */
function text(value: Json): string {
  return JSON.stringify(value, (_, it: Json) =>
    isRecord(it)
      ? Object.fromEntries(Object.entries(it).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : it,
  );
}

function compare(before: Json, after: Json, path: string, found: JsonChange[]): void {
  if (text(before) === text(after)) return;
  if (isRecord(before) && isRecord(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      side(before[key], after[key], inside(path, key), found);
    }
  } else if (Array.isArray(before) && Array.isArray(after)) {
    list(before, after, path, found);
  } else found.push({ path, before: text(before), after: text(after) });
}

function side(
  before: Json | undefined,
  after: Json | undefined,
  path: string,
  found: JsonChange[],
) {
  if (before === undefined && after === undefined) return;
  if (before === undefined) found.push({ path, after: text(after ?? null) });
  else if (after === undefined) found.push({ path, before: text(before) });
  else compare(before, after, path, found);
}

/** What is the same at the beginning and at the end stays: what was put between is one change. */
function list(before: Json[], after: Json[], path: string, found: JsonChange[]): void {
  const least = Math.min(before.length, after.length);
  let start = 0;
  while (start < least && text(before[start] ?? null) === text(after[start] ?? null)) start += 1;
  let end = 0;
  const same = (back: number) => text(before.at(-back) ?? null) === text(after.at(-back) ?? null);
  while (end < least - start && same(end + 1)) end += 1;
  const longest = Math.max(before.length, after.length) - end;
  for (let index = start; index < longest; index += 1) {
    const a = index < before.length - end ? before[index] : undefined;
    const b = index < after.length - end ? after[index] : undefined;
    side(a, b, `${path}[${index}]`, found);
  }
}
