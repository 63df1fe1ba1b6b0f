import { Suspense, lazy } from "react";
import { withWords } from "@/i18n";

const Line = lazy(() =>
  withWords("delivery", import("./toast-line")).then((it) => ({ default: it.ToastLine })),
);

/** How far a change is, below what is said of it: asked for when there is one. */
export function DeliveryLine(of: { organization: string; change: string }) {
  return (
    <Suspense>
      <Line {...of} />
    </Suspense>
  );
}
