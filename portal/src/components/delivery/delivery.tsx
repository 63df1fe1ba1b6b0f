import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Waiting, Wrong } from "@/components/states";
import { deliveryQuery } from "@/lib/api/delivery";
import type { Schemas } from "@/lib/api/client";
import { scopeOf } from "@/lib/delivery";
import classes from "./delivery.module.css";
import { OfEnvironment } from "./of-environment";
import { useWaited } from "./use-waited";

interface Props {
  organization: string;
  change: Schemas["ChangeView"];
}

/** Who has a change: which of the connections, how soon, and who is without it. */
export function Delivery({ organization, change }: Props) {
  const { t } = useTranslation();
  const found = useQuery(deliveryQuery(organization, change.id));
  const waited = useWaited(change.at);
  const moved = Object.keys(change.versions).filter((it) => /^[^/]+\//.test(it));
  if (moved.length === 0) return null;
  const unseen = moved.length - (found.data?.environments.length ?? 0);
  return (
    <section className={classes.part} aria-label={t("delivery.title")}>
      <h2>{t("delivery.title")}</h2>
      {found.isPending && <Waiting rows={3} />}
      {found.isLoadingError && (
        <div className={classes.failed}>
          <Wrong error={found.error} />
          <Button small onClick={() => void found.refetch()}>
            {t("state.retry")}
          </Button>
        </div>
      )}
      {found.isRefetchError && <p className={classes.warning}>{t("delivery.old")}</p>}
      {found.data?.environments.map((it) => (
        <OfEnvironment
          key={scopeOf(it)}
          organization={organization}
          of={it}
          gone={found.data.gone[scopeOf(it)] ?? []}
          waited={waited}
          short={moved.length > 2}
        />
      ))}
      {found.data && unseen > 0 && (
        <p className={classes.quiet}>{t("delivery.unseen", { count: unseen })}</p>
      )}
      {found.data?.environments.some((it) => it.total.connections > 0) && <Meaning />}
    </section>
  );
}

/** What the words mean, for whoever asks. */
function Meaning() {
  const { t } = useTranslation();
  return (
    <details className={classes.meaning}>
      <summary>{t("delivery.meaning")}</summary>
      <dl>
        <dt>{t("delivery.sent")}</dt>
        <dd>{t("delivery.sentMeans")}</dd>
        <dt>{t("delivery.confirmed")}</dt>
        <dd>{t("delivery.confirmedMeans")}</dd>
        <dt>P50, P99</dt>
        <dd>{t("delivery.timesMean")}</dd>
      </dl>
    </details>
  );
}
