/** How long something took, as the language says it: `370 ms`, `1.2 s`, `4 min`. */
import { useTranslation } from "react-i18next";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Two digits are enough: what is measured is up to a quarter too long. */
export function duration(language: string, milliseconds: number): string {
  const [unit, size] =
    milliseconds < SECOND
      ? (["millisecond", 1] as const)
      : milliseconds < 2 * MINUTE
        ? (["second", SECOND] as const)
        : (["minute", MINUTE] as const);
  const value = milliseconds / size;
  const options = { style: "unit", unit, unitDisplay: "short" } as const;
  const digits = value < 10 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 0 };
  return new Intl.NumberFormat(language, { ...options, ...digits }).format(value);
}

export function useDuration(): (milliseconds: number) => string {
  const { language } = useTranslation().i18n;
  return (milliseconds) => duration(language, milliseconds);
}
