import { useTranslation } from "react-i18next";
import { MadeSecret } from "@/components/made-secret";
import { commandOf } from "./relays";

interface Props {
  secret: string;
  /** What is to be known of it. */
  says: string;
  close: () => void;
}

/** A key's secret, told this once; and how a relay is started with it. */
export function Made({ secret, says, close }: Props) {
  const { t } = useTranslation();
  return (
    <MadeSecret
      says={says}
      secret={{ text: secret, copy: t("relays.copy") }}
      use={t("relays.use")}
      command={{
        text: commandOf(globalThis.location.origin, secret),
        copy: t("relays.copyCommand"),
      }}
      close={close}
    />
  );
}
