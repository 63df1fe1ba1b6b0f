import { useEffect, useState } from "react";
import { hasWords, needWords } from "@/i18n";
import type { Pages } from "@/i18n/pages";

/** Whether a page's words are there; where something needs them, they are asked for. */
export function useWords(page: keyof Pages, needed: boolean): boolean {
  const [there, setThere] = useState(() => hasWords(page));
  const wanted = needed && !there;
  useEffect(() => {
    if (wanted) void needWords(page).then(() => setThere(true));
  }, [wanted, page]);
  return there;
}
