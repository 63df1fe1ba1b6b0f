import type { ReactNode } from "react";
import classes from "./chips.module.css";

/** A few choices of which one holds: links, so that the choice is in the address. */
export function Chips({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav className={classes.chips} aria-label={label}>
      {children}
    </nav>
  );
}
