import type { ReactNode } from "react";
import classes from "./page.module.css";

interface Props {
  title: ReactNode;
  /** Where it belongs: links to what is above it. */
  trail?: ReactNode;
  /** One sentence: what this is for. */
  help?: ReactNode;
  /** What can be done here, at the right of the title. */
  actions?: ReactNode;
  /** As wide as the window; else as wide as one reads. */
  wide?: boolean;
  children: ReactNode;
}

/** A page: where one is, what it is called, what can be done, and then what there is. */
export function Page({ title, trail, help, actions, wide = false, children }: Props) {
  return (
    <div className={classes.page} data-wide={wide || undefined}>
      {trail && <p className={classes.trail}>{trail}</p>}
      <header className={classes.header}>
        <h1>{title}</h1>
        {actions && <div className={classes.actions}>{actions}</div>}
      </header>
      {help && <p className={classes.help}>{help}</p>}
      {children}
    </div>
  );
}
