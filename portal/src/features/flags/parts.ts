import type { ReactNode } from "react";

/** What Home is made of, for what takes its place while no program has asked for a flag. */
export interface Parts {
  home: ReactNode;
  actions: ReactNode;
  /** Whether there is a flag that could have been asked for. */
  any: boolean;
}

/** The first program's flag (`features/start`): a project with it alone has just begun. */
export const FIRST_FLAG = "first-flag";
