import { useEffect, useState } from "react";
import { useSettled } from "@/lib/settled";
import classes from "./settled-text.module.css";

interface Props {
  label: string;
  value: string;
  change: (value: string) => void;
  wide?: boolean;
}

/** A text of the filter: it is asked for when one stops to type. */
export function SettledText({ label, value, change, wide = false }: Props) {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  const settled = useSettled(text);
  // The address says something else: back, or cleared.
  if (value !== known) {
    setKnown(value);
    if (value !== text.trim()) setText(value);
  }
  useEffect(() => {
    if (settled === text && settled.trim() !== value) change(settled.trim());
    // Only what is typed leads on: what the address says is there already.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [settled]);
  return (
    <input
      type="search"
      className={classes.text}
      data-wide={wide || undefined}
      data-set={value !== "" || undefined}
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  );
}
