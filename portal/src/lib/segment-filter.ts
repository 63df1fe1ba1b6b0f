/** The list's filter, as it stands in the address. */
import type { Schemas } from "@/lib/api/client";
import type { SegmentPlace } from "@/lib/model/segment";

export interface Filter {
  q?: string;
  /** A place, as addresses name it. */
  in?: string;
  archived?: true;
  create?: true;
  /** The change that is looked at beside the list, by its number. */
  change?: number;
}

export interface Row {
  place: SegmentPlace;
  item: Schemas["ListedSegmentView"];
}

export function readFilter(search: Record<string, unknown>): Filter {
  const filter: Filter = {};
  if (search["q"] !== undefined && search["q"] !== "") filter.q = String(search["q"]);
  if (typeof search["in"] === "string") filter.in = search["in"];
  if (search["archived"]) filter.archived = true;
  if (search["create"]) filter.create = true;
  const change = Number(search["change"]);
  if (Number.isInteger(change) && change > 0) filter.change = change;
  return filter;
}

/** Those whose key, name or tags have all words of a text. */
export function matching(rows: readonly Row[], text: string): Row[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter(({ item }) => {
    const known = `${item.key} ${item.name} ${item.tags.join(" ")}`.toLowerCase();
    return words.every((word) => known.includes(word));
  });
}
