import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ConfirmName } from "@/components/confirm-name";
import { type RelayKey, relayAgentsQuery, relayKeysQuery, revokeRelayKey } from "@/lib/api/relays";
import { toast } from "@/lib/toasts";

interface Props {
  organization: string;
  of: RelayKey;
  close: () => void;
}

/** Feeds nobody by this key any more. What that stops, and what not, is not what one expects. */
export function RevokeKey({ organization, of: { id, name }, close }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const agents = useQuery(relayAgentsQuery(organization));
  const count = agents.data?.filter((it) => it.key === id && it.connected).length ?? 0;
  return (
    <ConfirmName
      name={name}
      command={t("relays.revokeNamed", { name })}
      run={async () => {
        await revokeRelayKey(organization, id);
        toast(t("relays.revoked", { name }));
        await queries.invalidateQueries(relayKeysQuery(organization));
        await queries.invalidateQueries(relayAgentsQuery(organization));
      }}
      close={close}
    >
      <p>{count > 0 ? t("relays.cutOff", { count }) : t("relays.nobodyCutOff")}</p>
      <p>{t("relays.goesOn")}</p>
      <p>{t("relays.lost")}</p>
    </ConfirmName>
  );
}
