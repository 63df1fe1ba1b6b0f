/** Moments as people choose them: days and hours of their own clock. */

const two = (value: number) => String(value).padStart(2, "0");

/** `2026-11-24`, of the reader's own clock. */
export function dayOf(at: Date): string {
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** As a field of the browser has it: `2026-11-24T09:00`. */
export function localOf(at: Date): string {
  return `${dayOf(at)}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** The moment of such a field; undefined where it is not whole. */
export function momentOfLocal(text: string): Date | undefined {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(text)) return undefined;
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? undefined : at;
}

export const zone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

export const PRESETS = ["hour", "tomorrow", "monday"] as const;
export type Preset = (typeof PRESETS)[number];

/** In an hour; tomorrow at nine; next Monday at nine. */
export function presetAt(preset: Preset, now: Date): Date {
  const at = new Date(now);
  if (preset === "hour") {
    at.setHours(at.getHours() + 1, at.getMinutes(), 0, 0);
    return at;
  }
  const days = preset === "tomorrow" ? 1 : (8 - at.getDay()) % 7 || 7;
  // By the calendar: a day with another number of hours is a day all the same.
  at.setDate(at.getDate() + days);
  at.setHours(9, 0, 0, 0);
  return at;
}

/** The days that a month's page shows, week by week; `first` is the week's first day, Sunday 0. */
export function weeksOf(month: string, first: number): string[][] {
  const [year = 1970, number = 1] = month.split("-").map(Number);
  const begin = new Date(year, number - 1, 1);
  begin.setDate(1 - ((begin.getDay() - first + 7) % 7));
  const weeks: string[][] = [];
  const day = new Date(begin);
  do {
    const week: string[] = [];
    for (let index = 0; index < 7; index += 1) {
      week.push(dayOf(day));
      day.setDate(day.getDate() + 1);
    }
    weeks.push(week);
  } while (dayOf(day).startsWith(month));
  return weeks;
}

/** A month, so many later. */
export function monthAfter(month: string, months: number): string {
  const [year = 1970, number = 1] = month.split("-").map(Number);
  return dayOf(new Date(year, number - 1 + months, 1)).slice(0, 7);
}

/** A day, so many later. */
export function dayAfter(day: string, days: number): string {
  const [year = 1970, month = 1, date = 1] = day.split("-").map(Number);
  return dayOf(new Date(year, month - 1, date + days));
}

/** What a language's weeks begin with, Sunday 0. */
export function firstDay(language: string): number {
  const locale = new Intl.Locale(language) as Intl.Locale & {
    weekInfo?: { firstDay: number };
    getWeekInfo?: () => { firstDay: number };
  };
  const info = locale.getWeekInfo?.() ?? locale.weekInfo;
  return (info?.firstDay ?? 1) % 7;
}
