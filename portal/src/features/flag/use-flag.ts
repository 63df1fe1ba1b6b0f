import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { environmentsQuery, flagQuery } from "@/lib/api/queries";
import { applied } from "@/lib/draft/apply";
import { withFlag, withTargeting } from "@/lib/draft/draft";
import { changeDraft, useDraft } from "@/lib/draft/store";
import { type Flag, type Targeting, wholeFlag } from "@/lib/model/flag";

/** The flag of this address: as the server has it, as the edits make it, and how to edit it. */
export function useFlag() {
  const params = useParams({ strict: false });
  const { organization = "", project = "", flag = "", environment = "" } = params;
  const detail = useQuery(flagQuery(organization, project, flag));
  const environments = useQuery(environmentsQuery(organization, project));
  const draft = useDraft();
  const server = useMemo(
    () => (detail.data ? wholeFlag(project, detail.data) : undefined),
    [detail.data, project],
  );
  const view = useMemo(
    () => (server ? applied(server, draft.commands) : undefined),
    [server, draft],
  );
  return { organization, project, key: flag, environment, detail, environments, server, view };
}

type Whole = NonNullable<ReturnType<typeof useFlag>["server"]>;

/** Edits what the flag does in an environment; it waits in the review bar. */
export function editTargeting(
  server: Whole,
  environment: string,
  edit: (targeting: Targeting) => Targeting,
): void {
  changeDraft((draft) => withTargeting(draft, server, environment, edit));
}

/** Edits the flag itself. */
export function editFlag(server: Whole, edit: (flag: Flag) => Flag): void {
  changeDraft((draft) => withFlag(draft, server, edit));
}
