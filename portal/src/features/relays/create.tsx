import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { SidePanel } from "@/components/side-panel";
import { Wrong } from "@/components/states";
import { createRelayKey, relayKeysQuery } from "@/lib/api/relays";
import { KeyFields } from "./fields";
import { Made } from "./made";
import { type Typed, scopeOf } from "./relays";
import classes from "./relays.module.css";

/** Another key, that feeds relays at once. */
export function CreateKey({ organization, close }: { organization: string; close: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [typed, setTyped] = useState<Typed>({ name: "", description: "", all: true, chosen: [] });
  const create = useMutation({
    mutationFn: () => {
      const { name, description } = typed;
      return createRelayKey(organization, {
        name: name.trim(),
        description,
        scope: scopeOf(typed),
      });
    },
    onSuccess: () => queries.invalidateQueries(relayKeysQuery(organization)),
  });
  if (create.data) {
    return (
      <SidePanel title={t("relays.isMade", { name: create.data.name })} close={close} width={480}>
        <Made secret={create.data.secret ?? ""} says={t("relays.once")} close={close} />
      </SidePanel>
    );
  }
  const lacking = !typed.all && typed.chosen.length === 0 ? t("relays.chooseOne") : undefined;
  return (
    <SidePanel title={t("relays.new")} close={close} width={480}>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (lacking === undefined && !create.isPending) create.mutate();
        }}
      >
        <KeyFields
          organization={organization}
          value={typed}
          set={(change) => setTyped((it) => ({ ...it, ...change }))}
        />
        <Wrong error={create.error} />
        <div>
          <Button type="submit" look="primary" busy={create.isPending} lacking={lacking}>
            {t("relays.create")}
          </Button>
        </div>
      </form>
    </SidePanel>
  );
}
