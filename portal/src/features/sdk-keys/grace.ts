/** How long a key works on when another one takes its place. */
import type { Schemas } from "@/lib/api/client";

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

/** It lets nobody in any more. */
export const isOver = (key: Schemas["SdkKeyView"]): boolean => key.revokedAt != null;

/** It has a successor, and works until its grace is over. */
export const isLeaving = (key: Schemas["SdkKeyView"]): boolean =>
  !isOver(key) && key.successor != null;

/** As much of a secret as tells it from others. */
export const masked = (secret: string): string => `${"•".repeat(12)}${secret.slice(-4)}`;
