/** Which decisions are shown, as it stands in the address. */
import { between, readDays } from "./days";

export interface DecisionFilter {
  /** The user's exact key. */
  user?: string;
  /** The flag's exact key. */
  flag?: string;
  /** The first day, `2026-11-21`. */
  from?: string;
  /** The last day. */
  to?: string;
}

/** What of an address is a filter; the rest is not there. */
export function readDecisionFilter(search: Record<string, unknown>): DecisionFilter {
  const text = (name: "user" | "flag") => {
    const value = search[name];
    // A key of digits is read as a number.
    return value === undefined || value === "" ? {} : { [name]: String(value) };
  };
  return { ...text("user"), ...text("flag"), ...readDays(search) };
}

/** What the API is asked. */
export function asked({ user, flag, ...days }: DecisionFilter) {
  return {
    ...(user === undefined ? {} : { user }),
    ...(flag === undefined ? {} : { flag }),
    ...between(days),
  };
}
