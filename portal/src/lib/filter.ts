/** The flags list's filter, as it stands in the address. */
import type { Schemas } from "./api/client";

export interface Filter {
  /** Text of key, name or tags. */
  q?: string;
  /** Tags that a flag has, all of them, with commas between. */
  tag?: string;
  type?: Schemas["VariationType"];
  /** The environment where it is on, or off. */
  on?: string;
  off?: string;
  /** Archived flags instead of live ones. */
  archived?: true;
  /** Those that nobody may need any more. */
  stale?: true;
  /** Those that I changed last. */
  mine?: true;
  sort?: Sort;
}

/** What else an address of the list says: which panel is open beside it. */
export interface Panels {
  /** A new flag is made, like another one where that is said. */
  create?: true;
  like?: string;
  /** A change by its number. */
  change?: number;
}

export const SORTS = ["name", "changed", "created"] as const;
/** By name from A on, by moments from the newest on; with `-` the other way round. */
export type Sort = (typeof SORTS)[number] | `-${(typeof SORTS)[number]}`;

export const TYPES = ["boolean", "string", "number", "json"] as const;

const yes = (value: unknown) => value === true || value === "true";

/** What of an address is a filter; the rest is not there. */
export function readFilter(search: Record<string, unknown>): Filter {
  const filter: Filter = {};
  for (const name of ["q", "tag", "on", "off"] as const) {
    const value = search[name];
    if (value !== undefined && value !== "") filter[name] = String(value);
  }
  const type = TYPES.find((it) => it === search["type"]);
  if (type) filter.type = type;
  for (const name of ["archived", "stale", "mine"] as const) {
    if (yes(search[name])) filter[name] = true;
  }
  const sort = String(search["sort"] ?? "");
  const by = SORTS.find((it) => it === sort.replace(/^-/, ""));
  if (by && sort !== "name") filter.sort = sort as Sort;
  return filter;
}

/** The filter and the panels of an address. */
export function readSearch(search: Record<string, unknown>): Filter & Panels {
  const all: Filter & Panels = readFilter(search);
  if (yes(search["create"])) all.create = true;
  if (typeof search["like"] === "string") all.like = search["like"];
  const change = Number(search["change"]);
  if (Number.isInteger(change) && change > 0) all.change = change;
  return all;
}

/** A filter as text, the same for the same filter: what saved views are known by. */
export function written(filter: Filter): string {
  const parts = Object.entries(readFilter({ ...filter }));
  const texts = parts.map(([name, value]): [string, string] => [name, String(value)]);
  return new URLSearchParams(texts.toSorted(([a], [b]) => (a < b ? -1 : 1))).toString();
}

export const parsedFilter = (text: string): Filter =>
  readFilter(Object.fromEntries(new URLSearchParams(text)));

export const tagsIn = (filter: Filter): string[] => filter.tag?.split(",").filter(Boolean) ?? [];

type Item = Schemas["IndexedFlagView"];

const texts = new WeakMap<Item, string>();

/** What is searched of a flag; worked out once. */
function textOf(item: Item): string {
  const known = texts.get(item);
  if (known !== undefined) return known;
  const text = `${item.key} ${item.name} ${item.tags.join(" ")}`.toLowerCase();
  texts.set(item, text);
  return text;
}

/** The flags that a filter lets through; `me` are the names that I may go by in the history. */
export function chosen(index: Schemas["FlagIndex"], filter: Filter, me: string[] = []): Item[] {
  const words = (filter.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const tags = tagsIn(filter);
  const place = (key: string | undefined) => (key ? index.environments.indexOf(key) : -1);
  const [on, off] = [place(filter.on), place(filter.off)];
  return index.items.filter((item) => {
    if ((item.state === "archived") !== (filter.archived ?? false)) return false;
    if (filter.type && item.type !== filter.type) return false;
    if (filter.stale && !item.stale) return false;
    if (filter.mine && !me.includes(item.changed?.by ?? "")) return false;
    if (!tags.every((tag) => item.tags.includes(tag))) return false;
    if (filter.on && !item.cells[on]?.on) return false;
    if (filter.off && item.cells[off]?.on) return false;
    return words.every((word) => textOf(item).includes(word));
  });
}

/** In the order that was asked for; `compare` is the language's. */
export function sorted(
  items: Item[],
  sort: Sort = "name",
  compare: (a: string, b: string) => number,
): Item[] {
  const names = (a: Item, b: Item) => compare(a.name, b.name) || compare(a.key, b.key);
  const newest = (of: (it: Item) => string) => (a: Item, b: Item) => {
    // Moments are ISO 8601 in UTC: as texts they are in order.
    const [one, other] = [of(a), of(b)];
    return one === other ? names(a, b) : one < other ? 1 : -1;
  };
  const orders = {
    name: names,
    changed: newest((it) => it.changed?.at ?? it.createdAt),
    created: newest((it) => it.createdAt),
  };
  const by = sort.replace(/^-/, "") as (typeof SORTS)[number];
  const list = items.toSorted(orders[by]);
  return sort.startsWith("-") ? list.toReversed() : list;
}

/** All tags, the most used first. */
export function tagsOf(index: Schemas["FlagIndex"]): string[] {
  const counts = new Map<string, number>();
  for (const tag of index.items.flatMap((item) => item.tags)) {
    counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  return [...counts].toSorted((a, b) => b[1] - a[1]).map(([tag]) => tag);
}

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** A new flag's name, said where one came from. */
    newFlag?: string;
  }
}
