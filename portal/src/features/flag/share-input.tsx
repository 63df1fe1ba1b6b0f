import { useState } from "react";
import classes from "./serving.module.css";

interface Props {
  label: string;
  /** From 0 to 1. */
  share: number;
  change: (share: number) => void;
}

/** A percentage that is typed. What is being typed is not corrected under the hand. */
export function ShareInput({ label, share, change }: Props) {
  const [typing, setTyping] = useState<string>();
  const percent = Math.round(share * 100_000) / 1_000;
  return (
    <span className={classes.percent}>
      <input
        inputMode="decimal"
        aria-label={label}
        value={typing ?? String(percent)}
        onFocus={(event) => event.target.select()}
        onBlur={() => setTyping(undefined)}
        onChange={(event) => {
          const text = event.target.value.replace(",", ".");
          setTyping(text);
          const typed = Number(text);
          if (text !== "" && typed >= 0 && typed <= 100) change(typed / 100);
        }}
      />
      %
    </span>
  );
}
