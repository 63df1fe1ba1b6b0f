/** Numbers, shares, moments and lists as the language has them. */
import { useTranslation } from "react-i18next";

const DAY = 86_400;
const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * DAY],
  ["month", 30 * DAY],
  ["week", 7 * DAY],
  ["day", DAY],
  ["hour", 3_600],
  ["minute", 60],
];

/** The parts of this page's language. */
export function format(language: string) {
  const numbers = new Intl.NumberFormat(language);
  const shares = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 3 });
  const lists = new Intl.ListFormat(language, { type: "conjunction" });
  const choices = new Intl.ListFormat(language, { type: "disjunction" });
  const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  const moments = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "long" });
  const days = new Intl.DateTimeFormat(language, { dateStyle: "medium" });
  const clock = new Intl.DateTimeFormat(language, { timeStyle: "medium" });
  return {
    number: (value: number) => numbers.format(value),
    share: (value: number) => shares.format(value),
    list: (items: string[]) => lists.format(items),
    /** One or the other. */
    either: (items: string[]) => choices.format(items),
    /** With the zone. */
    moment: (iso: string) => moments.format(new Date(iso)),
    /** The day alone. */
    day: (iso: string) => days.format(new Date(iso)),
    clock: (at: number) => clock.format(at),
    ago(iso: string, now: number) {
      const seconds = (Date.parse(iso) - now) / 1_000;
      const unit = UNITS.find(([, size]) => Math.abs(seconds) >= size);
      if (!unit) return relative.format(0, "second");
      return relative.format(Math.round(seconds / unit[1]), unit[0]);
    },
    compare: new Intl.Collator(language, { numeric: true }).compare,
  };
}

const known = new Map<string, ReturnType<typeof format>>();

export function useFormat(): ReturnType<typeof format> {
  const { language } = useTranslation().i18n;
  const found = known.get(language) ?? format(language);
  known.set(language, found);
  return found;
}

/** The zone in which moments are shown and chosen here. */
export const zoneHere = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;
