import { useRouter } from "@tanstack/react-router";
import { Suspense, lazy, useEffect } from "react";
import { useTranslation } from "react-i18next";
import { withWords } from "@/i18n";
import { undo } from "@/lib/draft/store";
import { PLACES, addressOf } from "@/lib/places";
import { shortcutsShown, typing, useShortcutKeys, useShortcuts } from "@/lib/shortcuts";
import { store, useStore } from "@/lib/store";

const Palette = lazy(() =>
  withWords("palette", import("@/features/palette/palette")).then((it) => ({
    default: it.Palette,
  })),
);
const ShortcutList = lazy(() =>
  withWords("palette", import("@/features/palette/shortcut-list")).then((it) => ({
    default: it.ShortcutList,
  })),
);

const opened = store(false);
export const openPalette = (open: boolean) => opened.set(open);

const goesAnywhere = (event: KeyboardEvent) =>
  (event.metaKey || event.ctrlKey) && !event.isComposing && event.key === "k";

/** Where ⌘K was pressed while the page was still on its way: that is not lost. */
let early: string | undefined;
function hear(event: KeyboardEvent) {
  if (!goesAnywhere(event)) return;
  event.preventDefault();
  early = location.pathname;
}
addEventListener("keydown", hear);

type Words =
  `place.${(typeof PLACES)[number]["id"]}` | "palette.label" | "shortcuts.title" | "shortcuts.undo";

interface Props {
  organization: string;
  project: string | undefined;
  /** Whether single letters do something. */
  letters: boolean;
}

/** Keys that mean the same on every page: ⌘K goes anywhere, ⌘Z takes back the last edit. */
export function PaletteKey({ organization, project, letters }: Props) {
  const { t } = useTranslation();
  const router = useRouter();
  const open = useStore(opened);
  const listed = useStore(shortcutsShown);
  useShortcutKeys(letters);
  useShortcuts(() => {
    const shortcut = (keys: string, key: Words, run?: () => void) => ({
      keys,
      // Said when the list is opened: it is then that its words are there.
      get words() {
        return t(key);
      },
      ...(run ? { run } : {}),
    });
    const places = PLACES.flatMap((it) => {
      const to = addressOf(it, router.routesByPath, organization, project);
      if (to === undefined || !("key" in it)) return [];
      return [shortcut(`g ${it.key}`, `place.${it.id}`, () => router.history.push(to))];
    });
    return [
      shortcut("Mod+K", "palette.label"),
      shortcut("Mod+Z", "shortcuts.undo"),
      ...places,
      shortcut("?", "shortcuts.title", () => shortcutsShown.set(true)),
    ];
  }, true);
  useEffect(() => {
    function key(event: KeyboardEvent) {
      if (!(event.metaKey || event.ctrlKey) || event.isComposing) return;
      if (goesAnywhere(event)) {
        event.preventDefault();
        openPalette(true);
      }
      const undoes = event.key === "z" && !event.shiftKey && !typing(event.target);
      if (undoes && undo()) event.preventDefault();
    }
    removeEventListener("keydown", hear);
    if (early === location.pathname) openPalette(true);
    early = undefined;
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, []);
  return (
    <Suspense>
      {open && (
        <Palette organization={organization} project={project} close={() => openPalette(false)} />
      )}
      {listed && (
        <ShortcutList organization={organization} close={() => shortcutsShown.set(false)} />
      )}
    </Suspense>
  );
}
