import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { useLacking } from "@/components/may";
import { Page } from "@/components/page";
import { Empty, Failure, Waiting } from "@/components/states";
import { environmentsQuery } from "@/lib/api/queries";
import { ARROWS } from "@/lib/keyboard";
import { useTitle } from "@/lib/title";
import { CreateEnvironment } from "./create";
import { List } from "./list";

/** The environments of a project, in their order. */
export function EnvironmentsPage() {
  const { t } = useTranslation();
  const { organization, project } = useParams({
    from: "/$organization/$project/settings/environments",
  });
  useTitle(t("environments.title"), project);
  const found = useQuery(environmentsQuery(organization, project));
  const [creating, setCreating] = useState(false);
  const lacking = useLacking(organization, {
    // One that is made is not protected yet.
    create: { action: "environment.create", resource: `project/${project}:env/*@unprotected` },
  });
  const create = (
    <Button look="primary" lacking={lacking.create} onClick={() => setCreating(true)}>
      {t("environments.new")}
    </Button>
  );
  if (found.isError) return <Failure error={found.error} retry={() => void found.refetch()} />;
  const none = found.data?.length === 0;
  return (
    <Page
      title={t("environments.title")}
      help={none ? undefined : t("environments.help", ARROWS)}
      actions={none ? undefined : create}
    >
      {!found.data && <Waiting rows={4} />}
      {none && (
        <Empty title={t("environments.none")}>
          <p>{t("environments.noneHelp")}</p>
          {create}
        </Empty>
      )}
      {found.data && !none && (
        <List organization={organization} project={project} items={found.data} />
      )}
      {creating && (
        <CreateEnvironment
          organization={organization}
          project={project}
          close={() => setCreating(false)}
        />
      )}
    </Page>
  );
}
