import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ConfirmName } from "@/components/confirm-name";
import { EditForm } from "@/components/edit-form";
import { useLacking } from "@/components/may";
import { type Schemas, type Tagged, api, ifMatch, taggedOf } from "@/lib/api/client";
import { singleSignOnQuery } from "@/lib/api/people";
import { useEdits } from "@/lib/edits";
import { toast } from "@/lib/toasts";
import { NO_PROVIDER, readProvider, writeProvider } from "./provider";
import { ProviderFields } from "./provider-fields";
import classes from "./settings.module.css";

interface Props {
  organization: string;
  found: Tagged<Schemas["SignInView"]> | undefined;
}

/** Sets the provider; or ends single sign-on. */
export function ProviderForm({ organization, found }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { queryKey } = singleSignOnQuery(organization);
  const edits = useEdits(found ? readProvider(found.it) : NO_PROVIDER, found?.tag);
  const [ending, setEnding] = useState(false);
  const lacking = useLacking(organization, {
    set: { action: "organization.setSignIn", resource: "organization" },
    own: { action: "organization.own", resource: "organization" },
  });
  const refused = lacking.set ?? lacking.own;
  async function save() {
    const body = writeProvider(edits.value, found?.it);
    const headers = ifMatch(edits.tag);
    const answer = await api(organization).PUT("/api/v1/organization/sign-in", { body, headers });
    queries.setQueryData(queryKey, taggedOf(answer));
    edits.reset();
  }
  return (
    <>
      <EditForm
        command={t("sso.save")}
        saved={t("sso.saved")}
        save={save}
        dirty={edits.dirty}
        reset={edits.reset}
        again={async () => {
          await queries.refetchQueries({ queryKey });
          edits.rebase();
        }}
        lacking={refused}
      >
        <ProviderFields
          organization={organization}
          value={edits.value}
          set={edits.set}
          found={found?.it}
        />
      </EditForm>
      {found && (
        <section className={classes.end} aria-label={t("sso.end")}>
          <Button look="danger" lacking={refused} onClick={() => setEnding(true)}>
            {t("sso.end")}
          </Button>
        </section>
      )}
      {ending && found && (
        <ConfirmName
          name={found.it.clientId}
          command={t("sso.end")}
          close={() => setEnding(false)}
          run={async () => {
            await api(organization).DELETE("/api/v1/organization/sign-in");
            toast(t("sso.ended"));
            await queries.resetQueries({ queryKey });
          }}
        >
          <p>{t("sso.endHelp")}</p>
        </ConfirmName>
      )}
    </>
  );
}
