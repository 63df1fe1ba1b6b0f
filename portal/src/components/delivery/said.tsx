import { useState } from "react";
import type { Stage } from "@/lib/delivery";
import classes from "./delivery.module.css";

/** Nothing more is expected. */
const ENDS: ReadonlySet<Stage> = new Set(["all", "unconfirmed", "behind"]);

/** Said aloud once, when it is at its end; numbers that move are not read out. */
export function Said({ stage, text }: { stage: Stage; text: string }) {
  const [first] = useState(stage);
  const [said, setSaid] = useState("");
  // What was at its end when one came is read where it stands.
  if (said === "" && stage !== first && ENDS.has(stage)) setSaid(text);
  return (
    <span className={classes.aloud} role="status">
      {said}
    </span>
  );
}
