import { useTranslation } from "react-i18next";
import { type Connection, positionOf } from "@/lib/delivery";
import { useFormat } from "@/lib/format";
import { useNow } from "@/lib/now";
import { Ago } from "./ago";
import classes from "./connection-table.module.css";
import { Table } from "./table";

interface Props {
  label: string;
  items: Connection[];
  /** The version that their position is said of. */
  version: number;
}

/** Connections: what each is, from where, since when, and how far it is. */
export function ConnectionTable({ label, items, version }: Props) {
  const { t } = useTranslation();
  // Where nobody's is known, it is said once and not in every row.
  const addresses = items.some((it) => it.address != null);
  const heads = [
    t("connections.sdk"),
    t("connections.kind"),
    ...(addresses ? [t("connections.address")] : []),
    t("connections.since"),
    t("connections.position"),
  ];
  return (
    <Table label={label} heads={heads}>
      {items.map((it, index) => (
        // They have no names of their own, and stand in no order.
        // oxlint-disable-next-line react/no-array-index-key
        <tr key={`${index} ${it.since} ${it.address}`} className={classes.row}>
          <td>
            <SdkName of={it.sdk} />
          </td>
          <td>{t(`connections.kinds.${it.kind}`)}</td>
          {addresses && (
            <td>
              <code>{it.address ?? "–"}</code>
            </td>
          )}
          <td>
            <Ago at={it.since} />
          </td>
          <td>
            <PositionName of={it} version={version} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** What it says that it is. */
export function SdkName({ of }: { of: Connection["sdk"] }) {
  const { t } = useTranslation();
  if (of == null) return <span className={classes.quiet}>{t("connections.unnamed")}</span>;
  if (of.name === "browser") return t("connections.browser");
  return (
    <>
      {of.name} {of.version != null && <span className={classes.quiet}>{of.version}</span>}
    </>
  );
}

function PositionName({ of, version }: { of: Connection; version: number }) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const now = useNow();
  const position = positionOf(of, version, now);
  const words = position.is === "behind" ? position.count : 0;
  return (
    <span className={classes.position} data-is={position.is}>
      {t(`connections.positions.${position.is}`, { count: words, number: number(words) })}
    </span>
  );
}
