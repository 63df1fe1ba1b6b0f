import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { prerequisitesQuery } from "@/lib/api/flag";
import { editsAbout } from "@/lib/draft/about";
import type { Draft } from "@/lib/draft/draft";
import { incomplete } from "@/lib/draft/incomplete";
import { useFlag } from "./use-flag";

/** The edits of a draft that may decide what the flag gives here, and what is missing in them. */
export function useEdits(draft: Draft, environment: string) {
  const { organization, project, key: flag } = useFlag();
  const graph = useQuery({
    ...prerequisitesQuery(organization, project, environment),
    enabled: draft.commands.length > 0,
  });
  const needy = graph.data?.items;
  const commands = useMemo(
    () => editsAbout(draft.commands, { project, environment, flag }, needy ?? []),
    [draft, project, environment, flag, needy],
  );
  return { commands, missing: incomplete({ ...draft, commands }) };
}
