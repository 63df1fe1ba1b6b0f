import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useApplied } from "@/components/applied";
import { apply, asks, tryOut } from "@/lib/changes";
import { withCommands } from "@/lib/draft/draft";
import type { SegmentEdit } from "@/lib/draft/edit";
import { placed } from "@/lib/draft/segment";
import { changeDraft } from "@/lib/draft/store";
import { placeAt } from "@/lib/model/segment";

export interface NewSegment {
  /** The place, as addresses name it. */
  address: string;
  key: string;
  name: string;
  description: string;
  included: string[];
}

/** Makes a segment and goes there; where approval or a comment is asked for, it waits in review. */
export function useCreate(organization: string, project: string, close: () => void) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const done = useApplied(organization);
  return useMutation({
    mutationFn: async ({ address, key, ...rest }: NewSegment) => {
      const place = placed(placeAt(project, address));
      const command: SegmentEdit = { kind: "createSegment", ...place, segment: key, ...rest };
      const draft = { base: {}, commands: [command] };
      const { approvals, comment } = asks(await queries.fetchQuery(tryOut(organization, draft)));
      if (approvals.length === 0 && comment.length === 0) return apply(organization, draft);
      changeDraft((now) => withCommands(now, draft));
      return undefined;
    },
    onSuccess: async (result, { address, key }) => {
      if (!result) return close();
      done(result);
      const params = { organization, project, place: address, segment: key };
      await navigate({ to: "/$organization/$project/segments/$place/$segment", params });
    },
  });
}
