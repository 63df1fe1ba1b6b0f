/** The flags list's filter, as it stands in the address. */
import type { Schemas } from "./api/client";

export interface Filter {
  /** Text of key, name or tags. */
  q?: string;
  tag?: string;
  type?: Schemas["VariationType"];
  /** The environment where it is on, or off. */
  on?: string;
  off?: string;
  /** Archived flags instead of live ones. */
  archived?: true;
  /** The panel of a new flag is open. */
  create?: true;
}

const TYPES = ["boolean", "string", "number", "json"] as const;

/** What of an address is a filter; the rest is not there. */
export function readFilter(search: Record<string, unknown>): Filter {
  const filter: Filter = {};
  for (const name of ["q", "tag", "on", "off"] as const) {
    const value = search[name];
    if (value !== undefined && value !== "") filter[name] = String(value);
  }
  const type = TYPES.find((it) => it === search["type"]);
  if (type) filter.type = type;
  if (search["archived"]) filter.archived = true;
  if (search["create"]) filter.create = true;
  return filter;
}

type Item = Schemas["IndexedFlagView"];

/** The flags that a filter lets through, by name. */
export function chosen(index: Schemas["FlagIndex"], filter: Filter): Item[] {
  const words = (filter.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const cell = (item: Item, environment: string) =>
    item.cells[index.environments.indexOf(environment)];
  return index.items.filter((item) => {
    if ((item.state === "archived") !== (filter.archived ?? false)) return false;
    if (filter.type && item.type !== filter.type) return false;
    if (filter.tag && !item.tags.includes(filter.tag)) return false;
    if (filter.on && !cell(item, filter.on)?.on) return false;
    if (filter.off && cell(item, filter.off)?.on) return false;
    const text = `${item.key} ${item.name} ${item.tags.join(" ")}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** All tags, the most used first. */
export function tagsOf(index: Schemas["FlagIndex"]): string[] {
  const counts = new Map<string, number>();
  for (const tag of index.items.flatMap((item) => item.tags)) {
    counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  return [...counts].toSorted((a, b) => b[1] - a[1]).map(([tag]) => tag);
}
