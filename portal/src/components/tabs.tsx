import type { ReactNode } from "react";
import { Sideways } from "./sideways";
import classes from "./tabs.module.css";

/** Parts of a page, each with an address of its own: its children are links of the router. */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Sideways as="nav" className={classes.tabs} aria-label={label}>
      {children}
    </Sideways>
  );
}
