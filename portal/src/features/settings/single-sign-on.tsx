import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Page } from "@/components/page";
import { Refused } from "@/components/refused";
import { Waiting } from "@/components/states";
import { Refused as Refusal } from "@/lib/api/client";
import { singleSignOnQuery } from "@/lib/api/people";
import { useTitle } from "@/lib/title";
import { ProviderForm } from "./provider-form";

/** By which provider members sign in. */
export function SingleSignOnPage() {
  const { t } = useTranslation();
  useTitle(t("sso.title"));
  const { organization } = useParams({ from: "/$organization/settings/sign-in" });
  const found = useQuery(singleSignOnQuery(organization));
  // Before somebody sets it, there is nothing under the address.
  const none = found.error instanceof Refusal && found.error.status === 404;
  const needs = { action: "organization.setSignIn", resource: "organization" };
  return (
    <Page title={t("sso.title")} help={t("sso.help")}>
      {found.isPending && <Waiting />}
      {found.isError && !none && (
        <Refused error={found.error} retry={() => void found.refetch()} needs={needs} />
      )}
      {(found.data || none) && (
        <ProviderForm
          key={found.data ? "set" : "none"}
          organization={organization}
          found={none ? undefined : found.data}
        />
      )}
    </Page>
  );
}
