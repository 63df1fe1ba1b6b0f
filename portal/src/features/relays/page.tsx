import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { useLacking } from "@/components/may";
import { Page } from "@/components/page";
import { NoRight, Refused } from "@/components/refused";
import { Empty, Waiting } from "@/components/states";
import { relayKeysQuery } from "@/lib/api/relays";
import { useTitle } from "@/lib/title";
import { Agents } from "./agents";
import { CreateKey } from "./create";
import { KeyTable } from "./keys";
import { isRevoked } from "./relays";
import classes from "./relays.module.css";

/** Any key of a relay, and the relays with it. */
const RESOURCE = "relay/*";

/** What relays are fed by, and which there are. */
export function RelaysPage() {
  const { t } = useTranslation();
  const { organization } = useParams({ from: "/$organization/settings/relays" });
  useTitle(t("relays.title"));
  const keys = useQuery(relayKeysQuery(organization));
  const [creating, setCreating] = useState(false);
  const [past, setPast] = useState(false);
  const needs = { action: "relayKey.read", resource: RESOURCE };
  const lacking = useLacking(organization, {
    read: needs,
    create: { action: "relayKey.create", resource: RESOURCE },
  });
  const works = keys.data?.filter((it) => !isRevoked(it)) ?? [];
  const revoked = keys.data?.filter(isRevoked) ?? [];
  // Whoever may see some alone has some; whoever may see none gets an empty list, not a refusal.
  const unseen = keys.data?.length === 0 && lacking.read !== undefined;
  const blank = keys.data?.length === 0 && !unseen;
  const create = (
    <Button look="primary" lacking={lacking.create} onClick={() => setCreating(true)}>
      {t("relays.new")}
    </Button>
  );
  return (
    <Page
      title={t("relays.title")}
      help={!blank && t("relays.help")}
      actions={keys.data && !blank && !unseen && create}
    >
      {keys.isLoadingError && (
        <Refused error={keys.error} retry={() => void keys.refetch()} needs={needs} />
      )}
      {keys.isPending && <Waiting rows={4} />}
      {unseen && <NoRight needs={needs} title={t("relays.unseen")} />}
      {blank && (
        <Empty title={t("relays.none")}>
          <p>{t("relays.help")}</p>
          {create}
        </Empty>
      )}
      {works.length > 0 && (
        <section className={classes.part}>
          <h2>{t("relays.keys")}</h2>
          <KeyTable organization={organization} label={t("relays.keys")} keys={works} />
        </section>
      )}
      {keys.data && keys.data.length > 0 && <Agents organization={organization} keys={keys.data} />}
      {revoked.length > 0 && (
        <section className={classes.part}>
          <Button small look="quiet" aria-expanded={past} onClick={() => setPast(!past)}>
            {t(past ? "relays.hidePast" : "relays.showPast", { count: revoked.length })}
          </Button>
          {past && (
            <KeyTable organization={organization} label={t("relays.pastKeys")} keys={revoked} />
          )}
        </section>
      )}
      {creating && <CreateKey organization={organization} close={() => setCreating(false)} />}
    </Page>
  );
}
