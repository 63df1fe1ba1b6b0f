import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { requestQuery } from "@/lib/api/changes";
import type { Schemas } from "@/lib/api/client";
import { toast } from "@/lib/toasts";

/** What follows when a request was made or revised: lists know it, and one goes to its page. */
export function useAsked(organization: string) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  return (request: Schemas["RequestDetail"], text: string, stay = false) => {
    for (const key of ["requests", "schedule", "inbox"]) {
      void queries.invalidateQueries({ queryKey: [key, organization] });
    }
    queries.setQueryData(requestQuery(organization, request.id).queryKey, request);
    const params = { organization, id: request.id };
    const open = () => void navigate({ to: "/$organization/changes/$id", params });
    toast(text, stay ? { label: t("action.open"), run: open } : undefined);
    if (!stay) open();
  };
}
