import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useApplied } from "@/components/applied";
import { useAsked } from "@/components/asked";
import { api, dataOf } from "@/lib/api/client";
import { apply, ask } from "@/lib/changes";
import { type Draft, filtered } from "@/lib/draft/draft";
import { type Edit, placeOf, subjectOf } from "@/lib/draft/edit";
import { stepsOf } from "@/lib/draft/plan";
import { changeDraft, draftNow } from "@/lib/draft/store";
import { stampOf } from "@/lib/stamp";

/** What becomes of edits. */
export type Way = "apply" | "request" | "schedule" | "revise";

interface Sent {
  way: Way;
  draft: Draft;
  /** Why approvals are gone without. */
  override?: string;
  /** Another set goes with it: one stays where one is. */
  stay?: boolean;
}

/** Applies the draft, asks for it, schedules it; or only those edits of it that are meant. */
export function useSend(organization: string, refused: () => void) {
  const { t } = useTranslation();
  const done = useApplied(organization);
  const asked = useAsked(organization);
  // What was edited meanwhile stays.
  const settle = (draft: Draft) => {
    const gone = new Set(draft.commands.map(stampOf));
    changeDraft((now) => filtered(now, (edit) => !gone.has(stampOf(edit))));
  };
  const sending = useMutation({
    mutationFn: async ({ way, draft, override, stay }: Sent) => {
      const { base, commands, note = {}, revises } = draft;
      const comment = note.comment?.trim() ?? "";
      if (way === "apply") {
        const why = override === undefined ? {} : { override };
        done(await apply(organization, { base, commands, comment, ...why }));
        return;
      }
      const steps = note.plan ? stepsOf(draft, note.plan) : undefined;
      if (way === "revise" && revises) {
        const what = steps ? { steps } : { base, commands };
        const body = { comment, ...what };
        const params = { path: { id: revises.id } };
        const path = "/api/v1/requests/{id}/revisions";
        asked(dataOf(await api(organization).POST(path, { params, body })), t("review.revised"));
        return;
      }
      const title = note.title?.trim() || titleOf(draft, t("review.titleOf"));
      const what = way === "schedule" && steps ? { steps } : { commands };
      const request = await ask(organization, { title, comment, base, ...what });
      const waits = request.needs.some((it) => it.missing > 0);
      const scheduled = way === "schedule";
      const text = t(waits || !scheduled ? "review.requested" : "review.scheduled");
      // What nobody has to agree to is done with: one goes on where one is.
      asked(request, text, stay ?? (scheduled && !waits));
    },
    onError: refused,
    onSuccess: (_, { draft }) => settle(draft),
  });
  const part = (which?: (edit: Edit) => boolean) =>
    which ? filtered(draftNow(), which) : draftNow();
  return {
    send: (way: Way, which?: (edit: Edit) => boolean) =>
      sending.mutate({ way, draft: part(which) }),
    /** Two sets, one after the other: what waits must not be lost where the other is refused. */
    sendBoth: async (free: (edit: Edit) => boolean) => {
      const [now, later] = [part(free), part((edit) => !free(edit))];
      await sending.mutateAsync({ way: "request", draft: later, stay: true });
      await sending.mutateAsync({ way: "apply", draft: now });
    },
    override: (reason: string) =>
      sending.mutate({ way: "apply", draft: draftNow(), override: reason }),
    busy: sending.isPending,
    error: sending.error,
    reset: sending.reset,
  };
}

/** `checkout, new-cart in prod` — what is asked for, by its names. */
export function titleOf(draft: Draft, template: string): string {
  const keys = [...new Set(draft.commands.map((it) => subjectOf(it).key))];
  const places = [...new Set(draft.commands.map(placeOf))].filter((it) => it !== "");
  const words = { flags: keys.join(", "), places: places.join(", ") };
  return template.replace("[flags]", words.flags).replace("[places]", words.places).slice(0, 200);
}
