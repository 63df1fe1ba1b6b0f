import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Ago } from "@/components/ago";
import { Button } from "@/components/button";
import { useLacking } from "@/components/may";
import { Refused } from "@/components/refused";
import { Sentence } from "@/components/sentence";
import { Waiting, Wrong } from "@/components/states";
import { Table } from "@/components/table";
import {
  type RelayAgent,
  type RelayKey,
  relayAgentsQuery,
  removeRelayAgent,
} from "@/lib/api/relays";
import { useFormat } from "@/lib/format";
import { toast } from "@/lib/toasts";
import { behindIn, inOrder, written } from "./relays";
import classes from "./relays.module.css";

interface Props {
  organization: string;
  keys: RelayKey[];
}

/** The relays that are connected, and those that were: they come and go while one looks. */
export function Agents({ organization, keys }: Props) {
  const { t } = useTranslation();
  const { compare, number } = useFormat();
  const queries = useQueryClient();
  const agents = useQuery(relayAgentsQuery(organization));
  const needs = { action: "relayAgent.read", resource: "relay/*" };
  const lacking = useLacking(organization, {
    read: needs,
    remove: { action: "relayAgent.remove", resource: "relay/*" },
  });
  const removal = useMutation({
    mutationFn: (of: RelayAgent) => removeRelayAgent(organization, of.id),
    onSuccess: (_, { name }) => toast(t("relays.removed", { name })),
    // One that came back meanwhile is refused: then it is shown as it is now.
    onSettled: () => queries.invalidateQueries(relayAgentsQuery(organization)),
  });
  const keyOf = (id: string) => keys.find((it) => it.id === id)?.name ?? "";
  return (
    <section className={classes.part}>
      <h2>{t("relays.title")}</h2>
      <Wrong error={removal.error} />
      {agents.isLoadingError && (
        <Refused error={agents.error} retry={() => void agents.refetch()} needs={needs} />
      )}
      {agents.isPending && <Waiting rows={2} />}
      {agents.data?.length === 0 && (
        <p className={classes.note}>{lacking.read ?? t("relays.noAgent")}</p>
      )}
      {agents.data && agents.data.length > 0 && (
        <Table
          label={t("relays.title")}
          heads={[
            t("relays.name"),
            t("relays.key"),
            t("relays.connection"),
            t("relays.connections"),
            t("relays.state"),
            "",
          ]}
        >
          {inOrder(agents.data, compare).map((agent) => (
            <tr key={agent.id} className={classes.row} data-over={!agent.connected || undefined}>
              <td>
                <strong>{agent.name}</strong>
                <small>
                  {t("relays.at", {
                    version: agent.kind === "featbit" ? t("relays.featbit") : agent.version,
                    address: agent.address,
                    node: agent.node,
                  })}
                </small>
              </td>
              <td>{keyOf(agent.key)}</td>
              <td>
                <Connection of={agent} />
              </td>
              <td>{agent.connected && agent.kind === "burgee" && number(agent.connections)}</td>
              <td>
                <Behind of={agent} />
              </td>
              <td className={classes.actions}>
                {!agent.connected && (
                  <Button
                    small
                    lacking={lacking.remove}
                    busy={removal.isPending && removal.variables.id === agent.id}
                    aria-label={t("relays.removeNamed", { name: agent.name })}
                    onClick={() => removal.mutate(agent)}
                  >
                    {t("relays.remove")}
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}

function Connection({
  of: { connected, connectedAt, disconnectedAt, lastSeenAt },
}: {
  of: RelayAgent;
}) {
  const { t } = useTranslation();
  const text = t(connected ? "relays.connected" : "relays.lastSeen");
  const at = connected ? connectedAt : (disconnectedAt ?? lastSeenAt);
  return <Sentence text={text} parts={{ ago: <Ago at={at} /> }} />;
}

/** How far it is: what is newest everywhere, or where not. */
function Behind({ of }: { of: RelayAgent }) {
  const { t } = useTranslation();
  const { list } = useFormat();
  const count = behindIn(of);
  if (of.environments.length === 0) return t("relays.servesNone");
  if (count === 0) return t("relays.upToDate");
  const those = of.environments.filter((it) => it.behind > 0).map(written);
  return <span title={list(those)}>{t("relays.behind", { count })}</span>;
}
