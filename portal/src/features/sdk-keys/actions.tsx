import { Menu } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { CopyButton } from "@/components/copy";
import type { Schemas } from "@/lib/api/client";

interface Props {
  of: Schemas["SdkKeyView"];
  lacking: string | undefined;
  busy: boolean;
  /** Absent where another key has taken its place already. */
  rotate: (() => void) | undefined;
  rename: () => void;
  revoke: () => void;
}

/** What can be done with a key that works. */
export function Actions({ of: { name, secret }, lacking, busy, rotate, rename, revoke }: Props) {
  const { t } = useTranslation();
  // Refused, they can be reached and say why, and open nothing.
  const item = (text: "sdkKeys.rename" | "sdkKeys.revoke", run: () => void) => (
    <Menu.Item
      title={lacking}
      aria-disabled={lacking !== undefined || undefined}
      onClick={lacking === undefined ? run : undefined}
    >
      {t(text)}
    </Menu.Item>
  );
  return (
    <>
      {secret !== "" && <CopyButton text={secret} label={t("sdkKeys.copy")} />}
      {rotate && (
        <Button
          small
          lacking={lacking}
          busy={busy}
          aria-label={t("sdkKeys.rotateNamed", { name })}
          onClick={rotate}
        >
          {t("sdkKeys.rotate")}
        </Button>
      )}
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <Button small look="quiet" aria-label={t("sdkKeys.more", { name })}>
            ⋯
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {item("sdkKeys.rename", rename)}
          {item("sdkKeys.revoke", revoke)}
          {lacking !== undefined && <Menu.Label>{lacking}</Menu.Label>}
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
