/** The audit log's filter, as it stands in the address. */

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
const DAYS = ["from", "to"] as const;

/** What of an address is a filter; the rest is not there. */
export function readAuditFilter(search: Record<string, unknown>): AuditFilter {
  const filter: AuditFilter = {};
  for (const name of TEXTS) {
    const value = search[name];
    if (value !== undefined && value !== "") filter[name] = String(value);
  }
  // An environment's key alone does not say which is meant.
  if (filter.project === undefined) delete filter.environment;
  for (const name of DAYS) {
    const value = String(search[name] ?? "");
    if (startOf(value, 0) !== undefined) filter[name] = value;
  }
  return filter;
}

/** What the API is asked. Days are days of the place where the reader is, the last one included. */
export function asked({ q, from, to, ...rest }: AuditFilter): Record<string, string> {
  const first = from === undefined ? undefined : startOf(from, 0);
  const end = to === undefined ? undefined : startOf(to, 1);
  return {
    ...rest,
    ...(q === undefined ? {} : { text: q }),
    ...(first === undefined ? {} : { from: first }),
    ...(end === undefined ? {} : { to: end }),
  };
}

/** When a day begins here, or the day so many days later. */
function startOf(day: string, later: number): string | undefined {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day) ?? [];
  if (year === undefined) return undefined;
  const start = new Date(Number(year), Number(month) - 1, Number(date) + later);
  return Number.isNaN(start.getTime()) ? undefined : start.toISOString();
}
