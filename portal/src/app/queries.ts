import { QueryClient } from "@tanstack/react-query";
import { Refused } from "@/lib/api/client";

/** Tried again where that may help, and not where the answer is a refusal. */
function retry(failures: number, error: Error): boolean {
  const final = error instanceof Refused && error.status < 500 && error.status !== 429;
  return !final && failures < 2;
}

export const queries = new QueryClient({
  defaultOptions: { queries: { retry, refetchOnWindowFocus: false } },
});
