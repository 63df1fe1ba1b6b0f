import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { deliveryQuery } from "@/lib/api/delivery";
import { together } from "@/lib/delivery";
import { useDuration } from "@/lib/duration";
import { useFormat } from "@/lib/format";
import classes from "./delivery.module.css";

interface Props {
  organization: string;
  change: string;
}

/** To how many it was sent, while that is said which was done; who confirms it comes later. */
export function ToastLine({ organization, change }: Props) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const duration = useDuration();
  const found = useQuery(deliveryQuery(organization, change));
  // What is missing here is said where one looks for it.
  if (!found.data || found.data.environments.length === 0) return null;
  const { connections, written, waiting, most, slowest } = together(found.data.environments);
  const counts = { count: connections, total: number(connections), written: number(written) };
  const done = written >= connections;
  const text =
    connections === 0
      ? t("delivery.nobody")
      : !done
        ? t("delivery.toast.sending", counts)
        : waiting === 0
          ? t("delivery.toast.sent", counts)
          : waiting < 100
            ? t("delivery.toast.sentIn", { ...counts, time: duration(slowest) })
            : t("delivery.toast.sentMost", { ...counts, time: duration(most) });
  return (
    <span className={classes.toast}>
      {/* Numbers that move are not read out: their end is. */}
      <span aria-hidden={!done}>{text}</span>
      {connections > 0 && (
        <Link to="/$organization/changes/$id" params={{ organization, id: change }}>
          {t("delivery.title")}
        </Link>
      )}
    </span>
  );
}
