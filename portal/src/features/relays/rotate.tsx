import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { GraceField } from "@/components/grace-field";
import { SidePanel } from "@/components/side-panel";
import { Wrong } from "@/components/states";
import { type RelayKey, relayKeysQuery, rotateRelayKey } from "@/lib/api/relays";
import { useFormat } from "@/lib/format";
import { DAY } from "@/lib/grace";
import { Made } from "./made";
import classes from "./relays.module.css";

interface Props {
  organization: string;
  of: RelayKey;
  close: () => void;
}

/** Another secret for a key. Its relays go on with the old one while that is in its grace. */
export function RotateKey({ organization, of: { id, name, previousEndsAt }, close }: Props) {
  const { t } = useTranslation();
  const { moment } = useFormat();
  const queries = useQueryClient();
  const [grace, setGrace] = useState(DAY);
  const rotate = useMutation({
    mutationFn: () => rotateRelayKey(organization, id, grace),
    onSuccess: () => queries.invalidateQueries(relayKeysQuery(organization)),
  });
  const ends = rotate.data?.previousEndsAt;
  return (
    <SidePanel title={t("relays.rotateNamed", { name })} close={close} width={480}>
      {rotate.data ? (
        <Made
          secret={rotate.data.secret ?? ""}
          says={ends == null ? t("relays.oldEnded") : t("relays.oldWorks", { at: moment(ends) })}
          close={close}
        />
      ) : (
        <form
          className={classes.form}
          onSubmit={(event) => {
            event.preventDefault();
            if (!rotate.isPending) rotate.mutate();
          }}
        >
          <GraceField label={t("relays.grace")} grace={grace} change={setGrace} />
          <p className={classes.note}>
            {t(grace === 0 ? "relays.rotateNow" : "relays.rotateHelp")}
          </p>
          {previousEndsAt != null && (
            <p className={classes.note}>{t("relays.olderEnds", { at: moment(previousEndsAt) })}</p>
          )}
          <Wrong error={rotate.error} />
          <div>
            <Button type="submit" look="primary" busy={rotate.isPending}>
              {t("relays.makeSecret")}
            </Button>
          </div>
        </form>
      )}
    </SidePanel>
  );
}
