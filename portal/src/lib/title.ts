import { useEffect } from "react";
import { visit } from "./recent";

/** What the tab is called: the page first, since tabs are narrow. It is a place to come back to. */
export function useTitle(...parts: (string | undefined)[]): void {
  const named = parts.filter(Boolean).join(" · ");
  useEffect(() => {
    document.title = [named, "Burgee"].filter(Boolean).join(" · ");
    const { pathname } = location;
    // Pages of an organization; not those by which one comes in.
    if (pathname.split("/").length > 2) visit({ path: pathname, title: named });
  }, [named]);
}
