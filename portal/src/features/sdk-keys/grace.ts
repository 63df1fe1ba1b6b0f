/** Which keys work, and what is shown of them. */
import type { Schemas } from "@/lib/api/client";

/** It lets nobody in any more. */
export const isOver = (key: Schemas["SdkKeyView"]): boolean => key.revokedAt != null;

/** It has a successor, and works until its grace is over. */
export const isLeaving = (key: Schemas["SdkKeyView"]): boolean =>
  !isOver(key) && key.successor != null;

/** As much of a secret as tells it from others. */
export const masked = (secret: string): string => `${"•".repeat(12)}${secret.slice(-4)}`;
