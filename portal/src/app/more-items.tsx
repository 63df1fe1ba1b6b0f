import { Menu } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { useTranslation } from "react-i18next";

interface Props {
  button: ReactElement;
  organization: string;
  project: string | undefined;
}

/** Where one goes less often. */
export function MoreItems({ button, organization, project }: Props) {
  const { t } = useTranslation();
  return (
    <Menu defaultOpened position="top-end" width={200} withinPortal>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        {project !== undefined && (
          <Menu.Item
            renderRoot={(it) => (
              <Link
                {...it}
                to="/$organization/$project/compare"
                params={{ organization, project }}
              />
            )}
          >
            {t("shell.compare")}
          </Menu.Item>
        )}
        <Menu.Item
          renderRoot={(it) => <Link {...it} to="/$organization/audit" params={{ organization }} />}
        >
          {t("shell.audit")}
        </Menu.Item>
        <Menu.Item
          renderRoot={(it) => (
            <Link {...it} to="/$organization/settings" params={{ organization }} />
          )}
        >
          {t("shell.settings")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
