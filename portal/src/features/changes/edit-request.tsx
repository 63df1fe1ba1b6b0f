import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import type { Schemas } from "@/lib/api/client";
import { EMPTY } from "@/lib/draft/draft";
import { editsOf, isFlagEdit } from "@/lib/draft/edit";
import { changeDraft, draftNow } from "@/lib/draft/store";
import { localOf } from "@/lib/moments";
import { toast } from "@/lib/toasts";

/** Takes what a request would do into one's own edits; sent again, it is the next revision. */
export function EditRequest({
  organization,
  request,
}: {
  organization: string;
  request: Schemas["RequestDetail"];
}) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const waiting = request.steps.filter((it) => it.state === "waiting" || it.state === "stopped");
  // What steps build on each other cannot be one list of edits: they are moved, or left out.
  if (waiting.length > 1) return null;
  const commands = editsOf(waiting[0]?.commands ?? request.commands);
  function edit() {
    if (draftNow().commands.length > 0) {
      toast(t("request.draftFirst"));
      return;
    }
    const at = waiting[0]?.at;
    const { id, title, revision, comment } = request;
    const revises = { id, title, revision };
    const plan = at ? { steps: [{ at: localOf(new Date(at)) }] } : undefined;
    const note = { comment, ...(plan && { plan }) };
    changeDraft(() => ({ ...EMPTY, commands, revises, note }));
    const first = commands.find(isFlagEdit);
    if (!first) return;
    const to = { organization, project: first.project, flag: first.flag };
    void navigate(
      "environment" in first
        ? {
            to: "/$organization/$project/flags/$flag/$environment",
            params: { ...to, environment: first.environment },
          }
        : { to: "/$organization/$project/flags/$flag", params: to },
    );
  }
  return <Button onClick={edit}>{t("request.edit")}</Button>;
}
