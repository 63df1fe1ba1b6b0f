import { useSegmentName } from "@/components/use-segment-name";
import type { Pair } from "@/lib/pairs";

/** Names of the segments that either environment can use, by their ids. */
export function usePairSegments(project: string, { from, to }: Pair) {
  const here = useSegmentName(project, from);
  const there = useSegmentName(project, to);
  return (id: string) => here(id) ?? there(id);
}
