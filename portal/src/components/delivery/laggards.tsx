import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ConnectionTable } from "@/components/connection-table";
import type { NodeDelivery } from "@/lib/delivery";
import { useFormat } from "@/lib/format";
import classes from "./delivery.module.css";

interface Props {
  organization: string;
  project: string;
  environment: string;
  version: number;
  nodes: NodeDelivery[];
  waited: boolean;
}

/** Who is without it, once there was time enough: the node that answers knows its own by name. */
export function Laggards({ version, nodes, waited, ...params }: Props) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const named = nodes.flatMap((it) => it.laggards);
  const all = nodes.reduce((sum, it) => sum + it.laggardCount, 0);
  if (!waited || all === 0) return null;
  const more = Math.max(0, all - named.length);
  return (
    <div className={classes.laggards}>
      <h3>{t("delivery.laggards")}</h3>
      {named.length > 0 && (
        <ConnectionTable label={t("delivery.laggards")} items={named} version={version} />
      )}
      <p className={classes.quiet}>
        {more > 0 && `${t("delivery.more", { count: more, number: number(more) })} `}
        <Link
          to="/$organization/$project/settings/environments/$environment/connections"
          params={params}
          search={{ behind: true }}
        >
          {t("delivery.toBehind")}
        </Link>
      </p>
    </div>
  );
}
