/** Which edits of a draft may decide what a flag gives somewhere. */
import type { Prerequisite } from "@/lib/model/flag";
import { type Edit, environmentOf, isFlagEdit } from "./edit";

/** A flag that needs others, as the server has it. */
interface Needy {
  flag: string;
  prerequisites: readonly Prerequisite[];
}

/**
 * Those of the flag itself, of the flags that it needs in an environment (by way of others too, as
 * the server has them or the draft would), and of segments.
 */
export function editsAbout(
  commands: readonly Edit[],
  { project, environment, flag }: { project: string; environment: string; flag: string },
  graph: readonly Needy[],
): Edit[] {
  const here = commands.filter((it) => (it.project ?? project) === project);
  const edited = here.flatMap((it) =>
    it.kind === "setPrerequisites" && environmentOf(it) === environment ? [it] : [],
  );
  const asked = new Set([flag]);
  // A set is walked with what is added on the way.
  for (const key of asked) {
    const needs = [...graph, ...edited].filter((it) => it.flag === key);
    for (const needed of needs.flatMap((it) => it.prerequisites)) asked.add(needed.flag);
  }
  return here.filter((it) => !isFlagEdit(it) || asked.has(it.flag));
}
