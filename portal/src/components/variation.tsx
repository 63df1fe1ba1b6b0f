import { useFormat } from "@/lib/format";
import classes from "./marks.module.css";

/** The letter of the variation at a place of the list. */
export const letterOf = (place: number) => String.fromCharCode(65 + (place % 26));

export const colourOf = (place: number) => `var(--v${"abcdefgh"[place % 8]})`;

/** A variation: its letter in its colour, and its name. */
export function VariationLabel({ place, label }: { place: number; label: string }) {
  return (
    <span className={classes.variation}>
      <Letter place={place} />
      <span className={classes.cut}>{label}</span>
    </span>
  );
}

export function Letter({ place }: { place: number }) {
  return (
    <span className={classes.letter} style={{ color: colourOf(place) }} aria-hidden="true">
      {letterOf(place)}
    </span>
  );
}

export interface Share {
  place: number;
  share: number;
  label: string;
}

/** Who gets how much, as a bar. */
export function ShareBar({ shares, tall = false }: { shares: Share[]; tall?: boolean }) {
  const { share: percent, list } = useFormat();
  const words = list(shares.map((it) => `${percent(it.share)} ${it.label}`));
  return (
    <span
      className={classes.bar}
      data-tall={tall || undefined}
      role="img"
      aria-label={words}
      title={words}
    >
      {shares
        .filter((it) => it.share > 0)
        .map(({ place, share }) => (
          <span
            key={place}
            data-texture={place > 3 || undefined}
            style={{ flexGrow: share * 1000, background: colourOf(place) }}
          />
        ))}
    </span>
  );
}
