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
    const places = PLACES.flatMap((it) => {
      const to = addressOf(it, router.routesByPath, organization, project);
      if (to === undefined || !("key" in it)) return [];
      const run = () => router.history.push(to);
      return [{ keys: `g ${it.key}`, words: t(`place.${it.id}`), run }];
    });
    return [
      { keys: "Mod+K", words: t("palette.label") },
      { keys: "Mod+Z", words: t("shortcuts.undo") },
      ...places,
      { keys: "?", words: t("shortcuts.title"), run: () => shortcutsShown.set(true) },
    ];
  }, true);
  useEffect(() => {
    function key(event: KeyboardEvent) {
      if (!(event.metaKey || event.ctrlKey) || event.isComposing) return;
      if (event.key === "k") {
        event.preventDefault();
        openPalette(true);
      }
      const undoes = event.key === "z" && !event.shiftKey && !typing(event.target);
      if (undoes && undo()) event.preventDefault();
    }
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
