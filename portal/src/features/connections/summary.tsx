import { useTranslation } from "react-i18next";
import { SdkName } from "@/components/connection-table";
import { NodeKind } from "@/components/node-kind";
import { Table } from "@/components/table";
import type { Schemas } from "@/lib/api/client";
import { bySdk } from "@/lib/delivery";
import { useFormat } from "@/lib/format";
import classes from "./connections.module.css";

/** So many SDKs are named. */
const NAMED = 12;

/** How many there are: by SDK, and on each server and relay where there are several. */
export function Summary({ nodes }: { nodes: Schemas["NodeConnections"][] }) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const sdks = bySdk(nodes);
  const all = nodes.reduce((sum, it) => sum + it.connections, 0);
  const more = sdks.length - NAMED;
  return (
    <>
      <p className={classes.total}>
        <strong>{t("connections.total", { count: all, number: number(all) })}</strong>
      </p>
      <ul className={classes.sdks} aria-label={t("connections.bySdk")}>
        {sdks.slice(0, NAMED).map(({ kind, sdk, connections }) => (
          <li key={JSON.stringify([kind, sdk])}>
            <span>
              <SdkName of={sdk} />
            </span>
            <span className={classes.note}>
              {t(`connections.kinds.${kind}` as "connections.kinds.server")}
            </span>
            <strong>{number(connections)}</strong>
          </li>
        ))}
        {more > 0 && <li>{t("connections.moreSdks", { count: more })}</li>}
      </ul>
      {nodes.length > 1 && (
        <div className={classes.nodes}>
          <Table
            label={t("delivery.nodes")}
            heads={[t("delivery.node"), t("delivery.connections")]}
          >
            {nodes.map(({ connections, ...of }) => (
              <tr key={of.node}>
                <td>
                  {of.name}{" "}
                  <small>
                    <NodeKind of={of} among={nodes} />
                  </small>
                </td>
                <td>{number(connections)}</td>
              </tr>
            ))}
          </Table>
        </div>
      )}
    </>
  );
}
