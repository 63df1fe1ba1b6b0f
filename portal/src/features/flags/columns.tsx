import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { EnvironmentName } from "@/components/environment";
import { Picker } from "@/components/picker";
import type { Schemas } from "@/lib/api/client";
import { MOST_PINNED } from "@/lib/pinned";
import { said } from "@/lib/problems";
import { keepSettings } from "@/lib/settings";
import { toast } from "@/lib/toasts";
import classes from "./menus.module.css";

interface Props {
  organization: string;
  project: string;
  environments: Schemas["EnvironmentView"][];
  shown: string[];
  anchor: HTMLElement;
  close: () => void;
}

/** Which environments are columns: a member's own choice. */
export function Columns({ organization, project, environments, shown, anchor, close }: Props) {
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
  // Those that are shown come first, and stay where they are while one chooses.
  const [order] = useState(() => [
    ...environments.filter((it) => shown.includes(it.key)),
    ...environments.filter((it) => !shown.includes(it.key)),
  ]);
  const full = shown.length >= MOST_PINNED;
  return (
    <Picker
      anchor={anchor}
      title={t("flags.columns")}
      close={close}
      multiple
      chosen={shown}
      choices={order.map((it) => {
        const is = shown.includes(it.key);
        return {
          key: it.key,
          text: `${it.key} ${it.name}`,
          look: <EnvironmentName of={it} />,
          // Never none, and as many as fit.
          disabled: is ? shown.length === 1 : full,
        };
      })}
      choose={(key) => {
        const is = shown.includes(key);
        // In the order of the environments.
        pin.mutate(
          environments.map((it) => it.key).filter((it) => (it === key ? !is : shown.includes(it))),
        );
      }}
    >
      <p className={classes.heading}>{t("list.columnsHelp", { count: MOST_PINNED })}</p>
    </Picker>
  );
}
