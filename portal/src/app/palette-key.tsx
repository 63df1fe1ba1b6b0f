import { Suspense, lazy, useEffect } from "react";
import { undo } from "@/lib/draft/store";
import { store, useStore } from "@/lib/store";

const Palette = lazy(() =>
  import("@/features/palette/palette").then((it) => ({ default: it.Palette })),
);

const opened = store(false);
export const openPalette = (open: boolean) => opened.set(open);

interface Props {
  organization: string;
  project: string | undefined;
}

/** Keys that mean the same on every page: ⌘K goes anywhere, ⌘Z takes back the last edit. */
export function PaletteKey({ organization, project }: Props) {
  const open = useStore(opened);
  useEffect(() => {
    function key(event: KeyboardEvent) {
      if (!(event.metaKey || event.ctrlKey) || event.isComposing) return;
      if (event.key === "k") {
        event.preventDefault();
        openPalette(true);
      }
      const { target } = event;
      const typing = target instanceof HTMLElement && target.matches("input, textarea, select");
      if (event.key === "z" && !typing && !event.shiftKey && undo()) event.preventDefault();
    }
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, []);
  if (!open) return null;
  return (
    <Suspense>
      <Palette organization={organization} project={project} close={() => openPalette(false)} />
    </Suspense>
  );
}
