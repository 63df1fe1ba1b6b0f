import { Menu } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactElement, Suspense, lazy, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import { projectsQuery } from "@/lib/api/queries";

const CreateProject = lazy(() =>
  import("@/features/projects/create").then((it) => ({ default: it.CreateProject })),
);

interface Props {
  button: ReactElement;
  organization: string;
  me: Schemas["Me"] | undefined;
}

/** Which project, and which organization where one is a member of several. */
export function ProjectItems({ button, organization, me }: Props) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [creating, setCreating] = useState(false);
  const projects = useQuery({ ...projectsQuery(organization), enabled: me !== undefined });
  const organizations = me?.organizations ?? [];
  return (
    <>
      <Menu defaultOpened position="bottom-start" width={240} withinPortal>
        <Menu.Target>{button}</Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{t("shell.projects")}</Menu.Label>
          {projects.data?.map(({ key, name }) => (
            <Menu.Item
              key={key}
              onClick={() => {
                const params = { organization, project: key };
                void navigate({ to: "/$organization/$project/flags", params });
              }}
            >
              {name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item onClick={() => setCreating(true)}>{t("projects.new")}</Menu.Item>
          {organizations.length > 1 && <Menu.Label>{t("shell.organizations")}</Menu.Label>}
          {organizations.length > 1 &&
            organizations.map((it) => (
              <Menu.Item
                key={it.key}
                onClick={() => {
                  void navigate({ to: "/$organization", params: { organization: it.key } });
                }}
              >
                {it.name}
              </Menu.Item>
            ))}
        </Menu.Dropdown>
      </Menu>
      <Suspense>
        {creating && <CreateProject organization={organization} close={() => setCreating(false)} />}
      </Suspense>
    </>
  );
}
