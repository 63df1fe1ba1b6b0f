import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { EditForm } from "@/components/edit-form";
import { TextField } from "@/components/field";
import { Page } from "@/components/page";
import { Waiting } from "@/components/states";
import { type Schemas, api, dataOf } from "@/lib/api/client";
import { meQuery } from "@/lib/api/queries";
import { useEdits } from "@/lib/edits";
import { useTitle } from "@/lib/title";

/** Who one is, as others see it. */
export function ProfilePage() {
  const { t } = useTranslation();
  useTitle(t("account.profile"));
  const { organization } = useParams({ from: "/$organization/settings/profile" });
  const me = useQuery(meQuery);
  return (
    <Page title={t("account.profile")}>
      {me.data ? <Profile organization={organization} me={me.data} /> : <Waiting rows={3} />}
    </Page>
  );
}

function Profile({ organization, me }: { organization: string; me: Schemas["Me"] }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const edits = useEdits({ name: me.name });
  async function save() {
    const body = { name: edits.value.name };
    queries.setQueryData(meQuery.queryKey, dataOf(await api("").PATCH("/api/v1/me", { body })));
    edits.reset();
    await queries.invalidateQueries({ queryKey: ["members", organization] });
  }
  return (
    <EditForm
      command={t("account.saveName")}
      saved={t("account.nameSaved")}
      save={save}
      dirty={edits.dirty}
      reset={edits.reset}
    >
      <TextField
        label={t("account.name")}
        help={t("account.nameHelp")}
        autoComplete="name"
        required
        maxLength={256}
        value={edits.value.name}
        onChange={(event) => edits.set({ name: event.target.value })}
      />
      <TextField
        label={t("account.email")}
        help={t("account.emailHelp")}
        readOnly
        value={me.email}
      />
    </EditForm>
  );
}
