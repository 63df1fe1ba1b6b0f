import { Link } from "@tanstack/react-router";
import classes from "./flags.module.css";
import type { Stop } from "./row";

/** A flag's tags; each leads to the flags that have it. */
export function Tags({ tags, stop }: { tags: string[]; stop: Stop }) {
  return (
    <span role="gridcell" className={`${classes.cell} ${classes.tags}`} title={tags.join(", ")}>
      {tags.map((tag, index) => (
        <Link
          key={tag}
          from="/$organization/$project/flags"
          to="."
          search={(now) => ({ ...now, tag })}
          {...stop}
          tabIndex={index === 0 ? stop.tabIndex : -1}
        >
          {tag}
        </Link>
      ))}
    </span>
  );
}
