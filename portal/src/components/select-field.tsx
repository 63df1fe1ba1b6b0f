import { type ReactNode, type SelectHTMLAttributes, useId } from "react";
import classes from "./field.module.css";

interface Props extends SelectHTMLAttributes<HTMLSelectElement> {
  label: ReactNode;
  help?: ReactNode;
  children: ReactNode;
}

/** One of a few, with its name above. Its children are `option`. */
export function SelectField({ label, help, children, ...rest }: Props) {
  const id = useId();
  return (
    <div className={classes.field}>
      <label htmlFor={id}>{label}</label>
      <select {...rest} id={id} className={classes.input} aria-describedby={`${id}-more`}>
        {children}
      </select>
      <div id={`${id}-more`} className={classes.more}>
        {help}
      </div>
    </div>
  );
}
