import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useApplied } from "@/components/applied";
import { apply, ask } from "@/lib/changes";
import { type Draft, filtered } from "@/lib/draft/draft";
import { type Edit, placeOf, subjectOf } from "@/lib/draft/edit";
import { changeDraft, draftNow } from "@/lib/draft/store";
import { toast } from "@/lib/toasts";

/** Applies the draft, or asks for it; or only those edits of it that are meant. */
export function useSend(
  organization: string,
  comment: string,
  { sent, refused }: { sent: () => void; refused: () => void },
) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const done = useApplied(organization);
  // What was edited meanwhile stays.
  const settle = (draft: Draft) => {
    const gone = new Set(draft.commands.map((it) => JSON.stringify(it)));
    changeDraft((now) => filtered(now, (edit) => !gone.has(JSON.stringify(edit))));
    sent();
  };
  const applying = useMutation({
    mutationFn: (draft: Draft) => apply(organization, { ...draft, comment }),
    onError: refused,
    onSuccess: (result, draft) => {
      settle(draft);
      done(result);
    },
  });
  const asking = useMutation({
    mutationFn: (draft: Draft) =>
      ask(organization, { ...draft, comment }, comment || titleOf(draft, t("review.titleOf"))),
    onError: refused,
    onSuccess: ({ id }, draft) => {
      settle(draft);
      const params = { organization, id };
      toast(t("review.requested"), {
        label: t("action.open"),
        run: () => void navigate({ to: "/$organization/changes/$id", params }),
      });
    },
  });
  const part = (which?: (edit: Edit) => boolean) =>
    which ? filtered(draftNow(), which) : draftNow();
  return {
    send: (which?: (edit: Edit) => boolean) => applying.mutate(part(which)),
    request: (which?: (edit: Edit) => boolean) => asking.mutate(part(which)),
    busy: applying.isPending || asking.isPending,
    error: applying.error ?? asking.error,
  };
}

/** `checkout, new-cart: prod` — what is asked for, by its names. */
function titleOf(draft: Draft, template: string): string {
  const keys = [...new Set(draft.commands.map((it) => subjectOf(it).key))];
  const places = [...new Set(draft.commands.map(placeOf))].filter((it) => it !== "");
  const words = { flags: keys.join(", "), places: places.join(", ") };
  return template.replace("[flags]", words.flags).replace("[places]", words.places).slice(0, 200);
}
