import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { environmentsQuery } from "@/lib/api/queries";
import { segmentQuery } from "@/lib/api/segments";
import { appliedSegment, withSegment } from "@/lib/draft/segment";
import { changeDraft, useDraft } from "@/lib/draft/store";
import { type Segment, type WholeSegment, placeAt, wholeSegment } from "@/lib/model/segment";

/** The segment of this address: as the server has it, and as the edits make it. */
export function useSegment() {
  const {
    organization,
    project,
    place: address,
    segment: key,
  } = useParams({ from: "/$organization/$project/segments/$place/$segment" });
  const place = useMemo(() => placeAt(project, address), [project, address]);
  const detail = useQuery(segmentQuery(organization, place, key));
  const environments = useQuery(environmentsQuery(organization, project));
  const draft = useDraft();
  const server = useMemo(
    () => (detail.data ? wholeSegment(place, detail.data) : undefined),
    [detail.data, place],
  );
  const view = useMemo(
    () => (server ? appliedSegment(server, draft.commands) : undefined),
    [server, draft],
  );
  return { organization, project, address, key, place, detail, environments, server, view };
}

/** Edits the segment; it waits in the review bar. */
export function editSegment(server: WholeSegment, edit: (segment: Segment) => Segment): void {
  changeDraft((draft) => withSegment(draft, server, edit));
}
