import { useParams } from "@tanstack/react-router";
import { Suspense, lazy, useCallback, useEffect } from "react";
import { Waiting } from "@/components/states";
import { FlagsPage } from "@/features/flags/page";
import type { Parts } from "@/features/flags/parts";
import { withWords } from "@/i18n";
import { store, useStore } from "@/lib/store";
import { keepLocally, keptLocally } from "@/lib/theme";
import classes from "./shell.module.css";

const Begin = lazy(() =>
  withWords("start", import("@/features/start/begin")).then((it) => ({ default: it.Begin })),
);
const HomeStrip = lazy(() =>
  withWords("home", import("@/features/home/strip")).then((it) => ({ default: it.HomeStrip })),
);

/** Whether the project only begins: then nothing is said of what waits. */
const beginning = store(false);

/** Home: what waits for me, and the flags; the way to a first program while none has asked for them. */
export function Home() {
  const place = useParams({ from: "/$organization/$project/flags" });
  const begins = useStore(beginning);
  return (
    <>
      {!begins && <Strip key={`${place.organization}/${place.project}`} {...place} />}
      <FlagsPage key={place.project} begin={Beginning} />
    </>
  );
}

function Strip(place: { organization: string; project: string }) {
  const key = `burgee-strip:${place.organization}/${place.project}`;
  const says = useCallback((something: boolean) => keepLocally(key, something ? "1" : "0"), [key]);
  // As it was the last time it will mostly be again; at a first visit there mostly is something: the
  // list does not jump when it comes.
  const held = keptLocally(key) !== "0" && <div className={classes.strip} />;
  return (
    <Suspense fallback={held}>
      <HomeStrip {...place} says={says} held={held} />
    </Suspense>
  );
}

function Beginning({ home, ...rest }: Parts) {
  const place = useParams({ from: "/$organization/$project/flags" });
  useEffect(() => {
    beginning.set(true);
    return () => beginning.set(false);
  }, []);
  return (
    <Suspense fallback={<Waiting rows={14} />}>
      <Begin {...place} {...rest}>
        {home}
      </Begin>
    </Suspense>
  );
}
