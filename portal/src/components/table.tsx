import type { ReactNode } from "react";
import classes from "./table.module.css";

interface Props {
  /** What it lists: read out before it. */
  label: string;
  /** Heads of the columns; an empty text for one of buttons. */
  heads: string[];
  children: ReactNode;
}

/** A table of some tens of rows (long lists are virtual). Its children are `tr`. */
export function Table({ label, heads, children }: Props) {
  return (
    // Wider than a phone: it scrolls by itself, with the keys too, and the page does not.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={classes.around} role="region" aria-label={label} tabIndex={0}>
      <table className={classes.table}>
        <thead>
          <tr>
            {heads.map((head, index) =>
              head === "" ? (
                // oxlint-disable-next-line react/no-array-index-key -- heads never move
                <td key={index} />
              ) : (
                // oxlint-disable-next-line react/no-array-index-key -- heads never move
                <th key={index} scope="col">
                  {head}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
