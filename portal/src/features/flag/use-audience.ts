import { useQuery } from "@tanstack/react-query";
import { audienceQuery } from "@/lib/api/flag";
import { useDraft } from "@/lib/draft/store";
import { useSettled } from "@/lib/settled";
import { useEdits } from "./use-edits";
import { useFlag } from "./use-flag";

/** For how many known users each part of the flag decides, after the edits that wait. */
export function useAudience(environment: string) {
  const { organization, project, key } = useFlag();
  const { commands, missing } = useEdits(useSettled(useDraft()), environment);
  const answer = useQuery({
    ...audienceQuery(organization, project, environment, key, commands),
    // A rule that is being written decides for nobody yet.
    ...(missing === undefined ? {} : { enabled: false }),
  });
  return answer.data;
}

export type Audience = ReturnType<typeof useAudience>;
