import { Menu } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { useLacking } from "@/components/may";
import type { RelayKey } from "@/lib/api/relays";

export type Act = "edit" | "rotate" | "revoke";

interface Props {
  organization: string;
  of: RelayKey;
  ask: (act: Act) => void;
}

/** What can be done with a key that works. */
export function KeyActions({ organization, of: { id, name }, ask }: Props) {
  const { t } = useTranslation();
  const resource = `relay/${id}`;
  const lacking = useLacking(organization, {
    edit: { action: "relayKey.update", resource },
    rotate: { action: "relayKey.rotate", resource },
    revoke: { action: "relayKey.revoke", resource },
  });
  // Refused, they can be reached and say why, and open nothing.
  const item = (act: "rotate" | "revoke", text: string) => (
    <Menu.Item
      title={lacking[act]}
      aria-disabled={lacking[act] !== undefined || undefined}
      onClick={lacking[act] === undefined ? () => ask(act) : undefined}
    >
      {text}
    </Menu.Item>
  );
  const why = lacking.rotate ?? lacking.revoke;
  return (
    <>
      <Button
        small
        lacking={lacking.edit}
        aria-label={t("relays.editNamed", { name })}
        onClick={() => ask("edit")}
      >
        {t("relays.edit")}
      </Button>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <Button small look="quiet" aria-label={t("sdkKeys.more", { name })}>
            ⋯
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {item("rotate", t("relays.rotate"))}
          {item("revoke", t("sdkKeys.revoke"))}
          {why !== undefined && <Menu.Label>{why}</Menu.Label>}
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
