import { useEffect, useState } from "react";
import { PATIENCE_MS } from "@/lib/delivery";

/** Whether most could have confirmed it by now: by the clock here, or by how long one has looked. */
export function useWaited(committedAt: string): boolean {
  const left = Date.parse(committedAt) + PATIENCE_MS - Date.now();
  const [waited, setWaited] = useState(left <= 0);
  useEffect(() => {
    if (waited) return;
    // A clock that is behind the server's does not make it longer.
    const wait = Math.min(Math.max(left, 0), PATIENCE_MS);
    const timer = setTimeout(() => setWaited(true), wait);
    return () => clearTimeout(timer);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once, from when one looks
  }, []);
  return waited;
}
