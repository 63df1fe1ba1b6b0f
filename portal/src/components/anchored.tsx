import { Suspense, lazy } from "react";
import type { Props } from "./anchored-panel";

// What it is made of is large, and comes when the first of them opens.
const AnchoredPanel = lazy(() =>
  import("./anchored-panel").then((it) => ({ default: it.AnchoredPanel })),
);

/** A small panel at an element; at the bottom of narrow screens. */
export function Anchored(props: Props) {
  return (
    <Suspense>
      <AnchoredPanel {...props} />
    </Suspense>
  );
}
