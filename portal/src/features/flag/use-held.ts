import { useQuery } from "@tanstack/react-query";
import { type RefObject, useEffect, useRef, useState } from "react";
import { meQuery } from "@/lib/api/queries";
import { aboutFlag, byAnother, newestChange } from "@/lib/live";
import type { WholeFlag } from "@/lib/model/flag";
import { typing } from "@/lib/shortcuts";

/** Whether the pointer is on a part of the page, or somebody writes there. */
function isAt(part: HTMLElement): boolean {
  const focused = document.activeElement;
  if (focused && part.contains(focused) && typing(focused)) return true;
  return matchMedia("(hover: hover)").matches && part.matches(":hover");
}

/**
 * The flag as it was before somebody else changed it, while one is at this part of the page; else
 * nothing. It follows when one leaves, or asks for it.
 */
export function useHeld(part: RefObject<HTMLElement | null>, server: WholeFlag | undefined) {
  const me = useQuery(meQuery).data?.email;
  const [held, setHeld] = useState<WholeFlag>();
  const latest = useRef(server);
  useEffect(() => {
    latest.current = server;
  });
  const project = server?.project ?? "";
  const key = server?.flag.key ?? "";
  useEffect(
    () =>
      newestChange.subscribe(() => {
        const change = newestChange.get();
        if (!change || !aboutFlag(change, project, key)) return;
        // What one did oneself is seen at once.
        if (!byAnother(change, me)) setHeld(undefined);
        else if (part.current && isAt(part.current)) setHeld((now) => now ?? latest.current);
      }),
    [project, key, me, part],
  );
  useEffect(() => {
    const element = part.current;
    if (!held || !element) return undefined;
    // The focus is nowhere while it moves.
    const left = () => requestAnimationFrame(() => !isAt(element) && setHeld(undefined));
    element.addEventListener("pointerleave", left);
    element.addEventListener("focusout", left);
    return () => {
      element.removeEventListener("pointerleave", left);
      element.removeEventListener("focusout", left);
    };
  }, [held, part]);
  return { held, show: () => setHeld(undefined) };
}
