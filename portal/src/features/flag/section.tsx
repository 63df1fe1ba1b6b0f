import { type ReactNode, type Ref, useId } from "react";
import classes from "./flag.module.css";

interface Props {
  title: string;
  /** What it means; or what is to be said of it before that. */
  help: ReactNode;
  children: ReactNode;
  ref?: Ref<HTMLElement>;
}

/** A part of the page, with what it means. */
export function Section({ title, help, children, ref }: Props) {
  const id = useId();
  return (
    <section ref={ref} className={classes.section} aria-labelledby={id}>
      <div>
        <h2 id={id}>{title}</h2>
        <p className={classes.quiet}>{help}</p>
      </div>
      <div className={classes.body}>{children}</div>
    </section>
  );
}
