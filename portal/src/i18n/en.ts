import change from "./en/change.json";
import flags from "./en/flags.json";
import shell from "./en/shell.json";

export const en = { ...change, ...flags, ...shell };
