import type { en } from "./en";
import change from "./zh/change.json";
import flags from "./zh/flags.json";
import shell from "./zh/shell.json";

export const zh = {
  ...change,

  ...flags,

  ...shell,
} satisfies typeof en;
