import { useEffect, useEffectEvent, useState } from "react";
import { parseKeys } from "@/lib/keys";

/** Users' keys that were pasted on the page, or dropped on it as a file. */
export interface Brought {
  keys: string[];
  duplicates: number;
  /** What the file is called, without its ending. */
  name: string;
}

const inField = (target: EventTarget | null) =>
  target instanceof Element && target.closest("input, textarea, select, [role=dialog]") !== null;

/** Takes what is pasted or dropped anywhere on the page; whether a file is held over it. */
export function useBrought(take: (brought: Brought) => void): boolean {
  const [over, setOver] = useState(false);
  const paste = useEffectEvent((event: ClipboardEvent) => {
    if (inField(event.target)) return;
    const { keys, duplicates } = parseKeys(event.clipboardData?.getData("text") ?? "");
    if (keys.length === 0) return;
    event.preventDefault();
    take({ keys, duplicates, name: "" });
  });
  const hover = useEffectEvent((event: DragEvent) => {
    if (inField(event.target) || !event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    setOver(true);
  });
  const drop = useEffectEvent(async (event: DragEvent) => {
    setOver(false);
    if (inField(event.target)) return;
    const [file] = event.dataTransfer?.files ?? [];
    if (!file) return;
    event.preventDefault();
    const { keys, duplicates } = parseKeys(await file.text());
    take({ keys, duplicates, name: file.name.replace(/\.[^.]*$/, "") });
  });
  useEffect(() => {
    const end = new AbortController();
    const { signal } = end;
    addEventListener("paste", (event) => paste(event), { signal });
    addEventListener("dragover", (event) => hover(event), { signal });
    addEventListener("dragleave", (event) => event.relatedTarget ?? setOver(false), { signal });
    addEventListener("drop", (event) => void drop(event), { signal });
    return () => end.abort();
  }, []);
  return over;
}
