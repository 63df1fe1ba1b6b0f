import { useEffect, useRef } from "react";
import { take } from "@/lib/toasts";

/** What stays at the bottom: nothing that is said for a while is laid over it. */
export function useFloor() {
  const ref = useRef<HTMLElement>(null);
  useEffect(() => {
    const part = ref.current;
    if (!part) return undefined;
    const observer = new ResizeObserver(() => take(part.offsetHeight));
    observer.observe(part);
    return () => {
      observer.disconnect();
      take(0);
    };
  }, []);
  return ref;
}
