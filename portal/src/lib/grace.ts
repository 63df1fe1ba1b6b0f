/** How long what is replaced works on, in seconds. */
const HOUR = 3_600;
export const DAY = 24 * HOUR;

export const GRACES = [
  { seconds: 0, name: "none", count: 0 },
  { seconds: HOUR, name: "hours", count: 1 },
  { seconds: DAY, name: "hours", count: 24 },
  { seconds: 7 * DAY, name: "days", count: 7 },
  { seconds: 30 * DAY, name: "days", count: 30 },
  { seconds: 90 * DAY, name: "days", count: 90 },
] as const;
