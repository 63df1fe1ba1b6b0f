import { useMutation } from "@tanstack/react-query";
import { useMemo } from "react";
import { type TargetingFacet, type Taking, promotion } from "@/lib/api/compare";
import { withCommands } from "@/lib/draft/draft";
import { type Edit, environmentOf, isFlagEdit, subjectOf } from "@/lib/draft/edit";
import { areaOf } from "@/lib/draft/facets";
import { changeDraft, draftNow, useDraft } from "@/lib/draft/store";

/** A set has at most so many commands, and a promotion so many flags. */
const MOST = 500;

/** Takes parts of flags from one environment to another: into the draft, to be reviewed. */
export function useTaking(organization: string, project: string) {
  return useMutation({
    mutationFn: async (taking: Taking) => {
      const flags = taking.flags.slice(0, MOST);
      const taken = await promotion(organization, project, { ...taking, flags });
      const room = MOST - draftNow().commands.length;
      const commands = whole(taken.draft.commands, room);
      changeDraft((draft) => withCommands(draft, { ...taken.draft, commands }));
      const cut = flagsOf(taken.draft.commands) - flagsOf(commands);
      return { ...taken, taking, later: taking.flags.length - flags.length + cut };
    },
  });
}

const flagsOf = (commands: readonly Edit[]) =>
  new Set(commands.map((it) => subjectOf(it).key)).size;

/** As many of the commands as there is room for; all of a flag's, or none. */
function whole(commands: Edit[], room: number): Edit[] {
  if (commands.length <= room) return commands;
  const first = commands[room];
  const split = first && subjectOf(first).key;
  return commands.slice(0, room).filter((it) => subjectOf(it).key !== split);
}

/** What of an environment's flags is in the draft already. */
export function useTaken(project: string, environment: string) {
  const draft = useDraft();
  const parts = useMemo(() => {
    const found = draft.commands.filter(
      (it) => isFlagEdit(it) && it.project === project && environmentOf(it) === environment,
    );
    return new Set(found.map((it) => `${subjectOf(it).key} ${areaOf(it)}`));
  }, [draft, project, environment]);
  return (flag: string, facet: TargetingFacet) => parts.has(`${flag} ${facet}`);
}
