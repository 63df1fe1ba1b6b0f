/** Days of the place where the reader is, `2026-11-21`. */

/** When a day begins here, or the day so many days later. */
export function startOf(day: string, later: number): string | undefined {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day) ?? [];
  if (year === undefined) return undefined;
  const start = new Date(Number(year), Number(month) - 1, Number(date) + later);
  return Number.isNaN(start.getTime()) ? undefined : start.toISOString();
}

/** The first and the last day as the API takes them: from a moment on, up to one. */
export function between({ from, to }: { from?: string; to?: string }) {
  const first = from === undefined ? undefined : startOf(from, 0);
  const end = to === undefined ? undefined : startOf(to, 1);
  return {
    ...(first === undefined ? {} : { from: first }),
    ...(end === undefined ? {} : { to: end }),
  };
}

/** What of an address are days. */
export function readDays(search: Record<string, unknown>): { from?: string; to?: string } {
  const day = (name: "from" | "to") => {
    const value = String(search[name] ?? "");
    return startOf(value, 0) === undefined ? {} : { [name]: value };
  };
  return { ...day("from"), ...day("to") };
}
