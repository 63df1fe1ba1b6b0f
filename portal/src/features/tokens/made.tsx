import { useTranslation } from "react-i18next";
import { MadeSecret } from "@/components/made-secret";
import type { Schemas } from "@/lib/api/client";

/** A token's text, told this once; and how it is sent. */
export function MadeToken({ token, close }: { token: Schemas["TokenView"]; close: () => void }) {
  const { t } = useTranslation();
  const address = globalThis.location.origin;
  const curl = `curl -H "Authorization: Bearer $BURGEE_TOKEN" ${address}/api/v1/projects`;
  return (
    <MadeSecret
      says={t("token.once")}
      secret={{ text: token.token ?? "", copy: t("token.copy") }}
      use={t("token.use")}
      command={{ text: curl, copy: t("token.copyCurl") }}
      close={close}
    />
  );
}
