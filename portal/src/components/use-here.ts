import { useMatch, useRouterState } from "@tanstack/react-router";

/** As it is read: the router keeps one of the two encoded. */
function bare(path: string): string {
  const short = path.replace(/\/$/, "");
  try {
    return decodeURIComponent(short);
  } catch {
    return short;
  }
}

/**
 * Whether one is still at the page that asks, and did not go on while it waited for an answer: it
 * stays until the code of the next one is there, and must not lead somebody back then.
 */
export function useHere(): boolean {
  const own = useMatch({ strict: false, select: (it) => bare(it.pathname) });
  return useRouterState({ select: (it) => bare(it.location.pathname) === own });
}
