import { useTranslation } from "react-i18next";
import { Table } from "@/components/table";
import type { Schemas } from "@/lib/api/client";
import { useDuration } from "@/lib/duration";
import { useFormat } from "@/lib/format";
import classes from "./delivery.module.css";

/** How many were sent it and have confirmed it, and how long after the commit. */
export function Times({ total }: { total: Schemas["DeliveryFigures"] }) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const duration = useDuration();
  const rows = [
    { name: t("delivery.sent"), count: total.written, after: total.writtenAfter },
    { name: t("delivery.confirmed"), count: total.received, after: total.receivedAfter },
  ];
  const heads = ["", t("delivery.connections"), "P50", "P99", t("delivery.slowest")];
  return (
    <div className={classes.figures}>
      <Table label={t("delivery.times")} heads={heads}>
        {rows.map(({ name, count, after }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{number(count)}</td>
            {([after?.p50, after?.p99, after?.max] as const).map((it, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- columns never move
              <td key={index}>{it === undefined ? "–" : duration(it)}</td>
            ))}
          </tr>
        ))}
      </Table>
      {!total.writtenAfter && <p className={classes.quiet}>{t("delivery.nobodyWaited")}</p>}
    </div>
  );
}
