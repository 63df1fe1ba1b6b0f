import { type ReactNode, Suspense, lazy, useRef, useState } from "react";
import { withWords } from "@/i18n";
import classes from "./environment-menu.module.css";

const Links = lazy(() =>
  withWords("environment-menu", import("./environment-links")).then((it) => ({
    default: it.EnvironmentLinks,
  })),
);

interface Props {
  organization: string;
  project: string;
  environment: string;
  /** The environment's name, as it stands where the menu opens. */
  children: ReactNode;
}

/** The ways from an environment's name to all that it has of its own. */
export function EnvironmentMenu({ children, ...of }: Props) {
  const target = useRef<HTMLButtonElement>(null);
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  return (
    <>
      <button
        type="button"
        ref={target}
        className={classes.target}
        aria-haspopup="dialog"
        aria-expanded={anchor !== null}
        onClick={() => setAnchor(target.current)}
      >
        {children}
        <span aria-hidden="true">▾</span>
      </button>
      <Suspense>
        {anchor && <Links {...of} anchor={anchor} close={() => setAnchor(null)} />}
      </Suspense>
    </>
  );
}
