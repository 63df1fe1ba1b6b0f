/** The audit log's filter, as it stands in the address. */
import { between, readDays } from "./days";

export interface AuditFilter {
  /** Text in who did it, the comment, or the words of what changed. */
  q?: string;
  actor?: string;
  /** A kind of command. */
  kind?: string;
  project?: string;
  environment?: string;
  flag?: string;
  segment?: string;
  /** The first day, `2026-11-21`. */
  from?: string;
  /** The last day. */
  to?: string;
}

const TEXTS = ["q", "actor", "kind", "project", "environment", "flag", "segment"] as const;

/** What of an address is a filter; the rest is not there. */
export function readAuditFilter(search: Record<string, unknown>): AuditFilter {
  const filter: AuditFilter = {};
  for (const name of TEXTS) {
    const value = search[name];
    if (value !== undefined && value !== "") filter[name] = String(value);
  }
  // An environment's key alone does not say which is meant.
  if (filter.project === undefined) delete filter.environment;
  return { ...filter, ...readDays(search) };
}

/** What the API is asked. Days are days of the place where the reader is, the last one included. */
export function asked({ q, ...rest }: AuditFilter): Record<string, string> {
  const { from: _, to: __, ...others } = rest;
  return { ...others, ...(q === undefined ? {} : { text: q }), ...between(rest) };
}
