import type { en } from "./en";
import change from "./ja/change.json";
import flag from "./ja/flag.json";
import flags from "./ja/flags.json";
import review from "./ja/review.json";
import shell from "./ja/shell.json";

export const ja = {
  ...change,
  ...flag,
  ...flags,
  ...review,

  ...shell,
} satisfies typeof en;
