import { useTranslation } from "react-i18next";
import { NodeKind } from "@/components/node-kind";
import { Table } from "@/components/table";
import type { NodeDelivery } from "@/lib/delivery";
import { useDuration } from "@/lib/duration";
import { useFormat } from "@/lib/format";
import classes from "./delivery.module.css";

interface Props {
  nodes: NodeDelivery[];
  /** Those that were counted before, and are not any more. */
  gone: NodeDelivery[];
}

/** Each server and relay by itself, where there are several. */
export function Nodes({ nodes, gone }: Props) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const duration = useDuration();
  if (nodes.length + gone.length < 2) return null;
  const heads = [
    t("delivery.node"),
    t("delivery.connections"),
    t("delivery.sent"),
    t("delivery.confirmed"),
    "P99",
  ];
  return (
    <div className={classes.nodes}>
      <Table label={t("delivery.nodes")} heads={heads}>
        {nodes.map(({ arrivedAfter, figures, ...of }) => (
          <tr key={of.node}>
            <th scope="row">
              {of.name}
              <small>
                <NodeKind of={of} among={nodes} />
              </small>
              {arrivedAfter == null && figures.connections > 0 && (
                <small data-warning="">{t("delivery.lacks")}</small>
              )}
            </th>
            <td>{number(figures.connections)}</td>
            <td>{number(figures.written)}</td>
            <td>{number(figures.received)}</td>
            <td>{figures.writtenAfter ? duration(figures.writtenAfter.p99) : "–"}</td>
          </tr>
        ))}
        {gone.map(({ node, name, figures }) => (
          <tr key={node} data-gone="">
            <th scope="row">
              {name}
              <small data-warning="">{t("delivery.gone")}</small>
            </th>
            <td>{t("delivery.was", { number: number(figures.connections) })}</td>
            <td>–</td>
            <td>–</td>
            <td>–</td>
          </tr>
        ))}
      </Table>
      {gone.length > 0 && <p className={classes.quiet}>{t("delivery.goneHelp")}</p>}
    </div>
  );
}
