import { useEffect } from "react";

/** What the tab is called: the page first, since tabs are narrow. */
export function useTitle(...parts: (string | undefined)[]): void {
  const title = [...parts.filter(Boolean), "Burgee"].join(" · ");
  useEffect(() => {
    document.title = title;
  }, [title]);
}
