/** What can be done with a request. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useApplied } from "@/components/applied";
import { requestQuery } from "@/lib/api/changes";
import { type Schemas, api, dataOf } from "@/lib/api/client";
import { toast } from "@/lib/toasts";

export type Act =
  | { kind: "approve"; text: string; thenApply?: boolean }
  | { kind: "decline"; text: string }
  | { kind: "comment"; text: string }
  | { kind: "apply"; override?: string }
  | { kind: "withdraw" }
  | { kind: "rebase" }
  | { kind: "reschedule"; at: string[] }
  | { kind: "leaveOut"; step: number }
  | { kind: "revise"; commands: Schemas["Command"][]; comment: string };

/** The step that comes next. */
export const nextStep = (request: Pick<Schemas["RequestView"], "steps">) =>
  request.steps.find((it) => it.state === "waiting" || it.state === "stopped");

export function useActs(
  organization: string,
  request: Pick<Schemas["RequestView"], "id" | "revision" | "steps">,
) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const applied = useApplied(organization);
  const { id, revision } = request;
  const client = api(organization);
  const params = { path: { id } };

  const apply = async (override?: string) => {
    const step = request.steps.length > 1 ? nextStep(request)?.step : undefined;
    const body: Schemas["ApplyBody"] = { revision };
    if (step !== undefined) body.step = step;
    if (override !== undefined) body.override = { reason: override };
    applied(dataOf(await client.POST("/api/v1/requests/{id}/apply", { params, body })));
  };

  return useMutation({
    mutationFn: async (act: Act): Promise<unknown> => {
      switch (act.kind) {
        case "approve": {
          const body = { revision, text: act.text, verdict: "approve" as const };
          const after = dataOf(
            await client.POST("/api/v1/requests/{id}/reviews", { params, body }),
          );
          if (act.thenApply && after.state === "approved") await apply();
          else toast(t("request.approvedNow"));
          return undefined;
        }
        case "decline": {
          const body = { revision, text: act.text, verdict: "decline" as const };
          return client.POST("/api/v1/requests/{id}/reviews", { params, body });
        }
        case "comment": {
          const body = { text: act.text };
          return client.POST("/api/v1/requests/{id}/comments", { params, body });
        }
        case "apply":
          return apply(act.override);
        case "withdraw":
          return client.POST("/api/v1/requests/{id}/withdraw", { params });
        case "rebase":
          return client.POST("/api/v1/requests/{id}/rebase", { params });
        case "reschedule": {
          const body = { at: act.at };
          return client.POST("/api/v1/requests/{id}/reschedule", { params, body });
        }
        case "leaveOut": {
          const path = { id, step: String(act.step) };
          return client.DELETE("/api/v1/requests/{id}/steps/{step}", { params: { path } });
        }
        case "revise": {
          const body = { commands: act.commands, comment: act.comment };
          return client.POST("/api/v1/requests/{id}/revisions", { params, body });
        }
      }
    },
    // Also where it was refused: half of it may be done, or somebody else was quicker.
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: requestQuery(organization, id).queryKey });
      for (const key of ["requests", "schedule", "inbox"]) {
        void queries.invalidateQueries({ queryKey: [key, organization] });
      }
    },
  });
}
