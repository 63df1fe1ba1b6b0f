import type { en } from "./en";
import change from "./ja/change.json";
import flags from "./ja/flags.json";
import shell from "./ja/shell.json";

export const ja = {
  ...change,

  ...flags,

  ...shell,
} satisfies typeof en;
