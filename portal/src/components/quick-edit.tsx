import { useQuery } from "@tanstack/react-query";
import { Suspense, lazy } from "react";
import { withWords } from "@/i18n";
import { flagQuery } from "@/lib/api/queries";
import type { Gesture } from "./quick-gesture";
import { Failure, Waiting } from "./states";

const QuickGesture = lazy(() =>
  withWords("quick", import("./quick-gesture")).then((it) => ({ default: it.QuickGesture })),
);

/** One gesture in one environment: on or off, or a percentage; with its effect, before it is done. */
export function QuickEdit(props: Gesture) {
  const detail = useQuery(flagQuery(props.organization, props.project, props.flag));
  if (detail.isError) return <Failure error={detail.error} retry={() => void detail.refetch()} />;
  if (!detail.data) return <Waiting rows={3} />;
  return (
    <Suspense fallback={<Waiting rows={3} />}>
      <QuickGesture {...props} detail={detail.data} />
    </Suspense>
  );
}
