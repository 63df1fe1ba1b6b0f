import { useParams } from "@tanstack/react-router";
import { Suspense, lazy } from "react";
import { Waiting } from "@/components/states";
import { FlagsPage } from "@/features/flags/page";
import type { Parts } from "@/features/flags/parts";
import { withWords } from "@/i18n";

const Begin = lazy(() =>
  withWords("start", import("@/features/start/begin")).then((it) => ({ default: it.Begin })),
);

/** Home: the flags of a project, and the way to a first program while none has asked for them. */
export function Home() {
  const place = useParams({ from: "/$organization/$project/flags" });
  return <FlagsPage key={place.project} begin={Beginning} />;
}

function Beginning({ home, ...rest }: Parts) {
  const place = useParams({ from: "/$organization/$project/flags" });
  return (
    <Suspense fallback={<Waiting rows={14} />}>
      <Begin {...place} {...rest}>
        {home}
      </Begin>
    </Suspense>
  );
}
