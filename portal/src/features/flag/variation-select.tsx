import { Letter } from "@/components/variation";
import { type Flag, labelOf } from "@/lib/model/flag";
import classes from "./flag.module.css";

interface Props {
  flag: Flag;
  label: string;
  value: string;
  change: (variation: string) => void;
  /** One more choice, at the end. */
  more?: { key: string; label: string };
}

/** Which variation. */
export function VariationSelect({ flag, label, value, change, more }: Props) {
  const place = flag.variations.findIndex((it) => it.id === value);
  return (
    <span className={classes.select}>
      {place >= 0 && <Letter place={place} />}
      <select
        className={classes.control}
        aria-label={label}
        value={value}
        onChange={(event) => change(event.target.value)}
      >
        {flag.variations.map((it) => (
          <option key={it.id} value={it.id}>
            {labelOf(it)}
          </option>
        ))}
        {more && <option value={more.key}>{more.label}</option>}
      </select>
    </span>
  );
}
