import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import { useFormat } from "@/lib/format";

/** When somebody last came with it: whether it is missed. */
export function LastUse({ of: { lastUsedAt } }: { of: Schemas["SdkKeyView"] }) {
  const { t } = useTranslation();
  const { moment } = useFormat();
  return (
    <p>
      {lastUsedAt == null
        ? t("sdkKeys.neverUsed")
        : t("sdkKeys.lastUse", { at: moment(lastUsedAt) })}
    </p>
  );
}
