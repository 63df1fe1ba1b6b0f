import { type ReactNode, useId } from "react";
import classes from "./flag.module.css";

/** A part of the page, with what it means. */
export function Section({
  title,
  help,
  children,
}: {
  title: string;
  help: string;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section className={classes.section} aria-labelledby={id}>
      <div>
        <h2 id={id}>{title}</h2>
        <p className={classes.quiet}>{help}</p>
      </div>
      <div className={classes.body}>{children}</div>
    </section>
  );
}
