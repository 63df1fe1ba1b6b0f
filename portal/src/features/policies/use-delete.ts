import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { api } from "@/lib/api/client";
import { policiesQuery, policyQuery } from "@/lib/api/people";
import { toast } from "@/lib/toasts";

/** Deletes a policy, and leads back to the others. */
export function useDelete(organization: string, key: string): () => Promise<void> {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const navigate = useNavigate();
  return async () => {
    const params = { path: { policy: key } };
    await api(organization).DELETE("/api/v1/policies/{policy}", { params });
    toast(t("policy.deleted", { key }));
    await navigate({ to: "/$organization/settings/policies", params: { organization } });
    queries.removeQueries({ queryKey: policyQuery(organization, key).queryKey });
    await queries.invalidateQueries({ queryKey: policiesQuery(organization).queryKey });
  };
}
