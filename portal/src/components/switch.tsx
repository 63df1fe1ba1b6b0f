import type { ButtonHTMLAttributes, Ref } from "react";
import classes from "./switch.module.css";

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  on: boolean;
  /** What is switched: "new-cart in prod". */
  label: string;
  text: string;
  ref?: Ref<HTMLButtonElement>;
}

/** On or off: said by a word and a shape, not by colour alone. */
export function Switch({ on, label, text, ...rest }: Props) {
  return (
    <button
      type="button"
      {...rest}
      role="switch"
      aria-checked={on}
      aria-label={label}
      className={classes.switch}
      data-on={on || undefined}
    >
      <span className={classes.track} aria-hidden="true" />
      {text}
    </button>
  );
}
