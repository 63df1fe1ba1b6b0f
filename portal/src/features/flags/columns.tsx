import { Menu } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { EnvironmentName } from "@/components/environment";
import type { Schemas } from "@/lib/api/client";
import { MOST_PINNED } from "@/lib/pinned";
import { said } from "@/lib/problems";
import { keepSettings } from "@/lib/settings";
import { toast } from "@/lib/toasts";

interface Props {
  organization: string;
  project: string;
  environments: Schemas["EnvironmentView"][];
  shown: string[];
}

/** Which environments are columns: a member's own choice. */
export function Columns({ organization, project, environments, shown }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const pin = useMutation({
    mutationFn: (keys: string[]) =>
      keepSettings(queries, organization, (it) => ({
        ...it,
        pinnedEnvironments: { ...it.pinnedEnvironments, [project]: keys },
      })),
    onError: (error) => toast(said(t, error).text),
  });
  const full = shown.length >= MOST_PINNED;
  return (
    <Menu closeOnItemClick={false} position="bottom-end" width={220}>
      <Menu.Target>
        <Button small>{t("flags.columns")}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t("flags.columnsHelp", { count: MOST_PINNED })}</Menu.Label>
        {environments.map((it) => {
          const is = shown.includes(it.key);
          // In the order of the environments, and never none.
          const next = environments
            .map(({ key }) => key)
            .filter((key) => (key === it.key ? !is : shown.includes(key)));
          return (
            <Menu.Item
              key={it.key}
              role="menuitemcheckbox"
              aria-checked={is}
              disabled={(!is && full) || next.length === 0}
              leftSection={is ? "✓" : " "}
              onClick={() => pin.mutate(next)}
            >
              <EnvironmentName of={it} />
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
