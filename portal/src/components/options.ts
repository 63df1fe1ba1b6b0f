/** What is offered while somebody types. */
export interface Option {
  value: string;
  /** As people know it; the value where absent. */
  label?: string;
  /** More of it, in short: how many have it, what it means. */
  detail?: string | undefined;
}

/** The options that fit a text: those that begin so, then those that have it anywhere. */
export function fitting(options: Option[], text: string): Option[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return options;
  const rank = ({ value, label }: Option) => {
    const names = [value.toLowerCase(), (label ?? "").toLowerCase()];
    if (names.includes(wanted)) return 0;
    if (names.some((it) => it.startsWith(wanted))) return 1;
    return names.some((it) => it.includes(wanted)) ? 2 : 3;
  };
  return options.filter((it) => rank(it) < 3).toSorted((a, b) => rank(a) - rank(b));
}
