import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { audienceQuery } from "@/lib/api/flag";
import { isFlagEdit } from "@/lib/draft/edit";
import { incomplete } from "@/lib/draft/incomplete";
import { useDraft } from "@/lib/draft/store";
import { useSettled } from "@/lib/settled";
import { useFlag } from "./use-flag";

/** For how many known users each part of the flag decides, after the edits that wait. */
export function useAudience(environment: string) {
  const { organization, project, key } = useFlag();
  const draft = useSettled(useDraft());
  const commands = useMemo(
    () =>
      draft.commands.filter((it) => isFlagEdit(it) && it.project === project && it.flag === key),
    [draft, project, key],
  );
  const unfinished = incomplete({ ...draft, commands }) !== undefined;
  const answer = useQuery({
    ...audienceQuery(organization, project, environment, key, commands),
    // A rule that is being written decides for nobody yet.
    ...(unfinished ? { enabled: false } : {}),
  });
  return answer.data;
}

export type Audience = ReturnType<typeof useAudience>;
