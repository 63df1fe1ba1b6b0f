import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { EditForm } from "@/components/edit-form";
import { TextField } from "@/components/field";
import { useLacking } from "@/components/may";
import { Page } from "@/components/page";
import { Refused } from "@/components/refused";
import { Waiting } from "@/components/states";
import { type Schemas, type Tagged, api, ifMatch, taggedOf } from "@/lib/api/client";
import { organizationQuery } from "@/lib/api/people";
import { meQuery } from "@/lib/api/queries";
import { useEdits } from "@/lib/edits";
import { useTitle } from "@/lib/title";
import { toast } from "@/lib/toasts";
import classes from "./settings.module.css";

/** The organization: its name, and what holds for all of it. */
export function GeneralPage() {
  const { t } = useTranslation();
  const { organization } = useParams({ from: "/$organization/settings/general" });
  useTitle(t("settings.organization"));
  const found = useQuery(organizationQuery(organization));
  const needs = { action: "organization.read", resource: "organization" };
  return (
    <Page title={t("settings.organization")}>
      {found.isError ? (
        <Refused error={found.error} retry={() => void found.refetch()} needs={needs} />
      ) : found.data ? (
        <General organization={organization} found={found.data} />
      ) : (
        <Waiting />
      )}
    </Page>
  );
}

interface Props {
  organization: string;
  found: Tagged<Schemas["OrganizationView"]>;
}

function General({ organization, found }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { it, tag } = found;
  const edits = useEdits({ ...it, staleDays: String(it.staleDays) }, tag);
  const { value, set } = edits;
  const { queryKey } = organizationQuery(organization);
  const me = useQuery(meQuery);
  const lacking = useLacking(organization, {
    save: { action: "organization.update", resource: "organization" },
  });

  async function save() {
    const body = {
      name: value.name,
      staleDays: Number(value.staleDays),
      secondFactorRequired: value.secondFactorRequired,
    };
    const headers = ifMatch(edits.tag);
    const saved = await api(organization).PATCH("/api/v1/organization", { body, headers });
    queries.setQueryData(queryKey, taggedOf(saved));
    edits.reset();
    // Its name stands in the menu.
    await queries.invalidateQueries({ queryKey: meQuery.queryKey });
  }

  const own = me.data?.secondFactor ?? true;
  const factorLacking =
    own || value.secondFactorRequired ? undefined : t("settings.secondFactorOwn");
  return (
    <EditForm
      command={t("settings.save")}
      saved={t("settings.saved")}
      save={save}
      dirty={edits.dirty}
      reset={edits.reset}
      again={async () => {
        await queries.refetchQueries({ queryKey });
        edits.rebase();
      }}
      lacking={lacking.save}
    >
      <TextField
        label={t("settings.name")}
        required
        maxLength={256}
        value={value.name}
        onChange={(event) => set({ name: event.target.value })}
      />
      <TextField
        label={t("settings.key")}
        help={t("settings.keyHelp")}
        mono
        readOnly
        value={it.key}
      />
      <TextField
        label={t("settings.staleDays")}
        help={t("settings.staleDaysHelp")}
        type="number"
        min={1}
        max={3650}
        required
        value={value.staleDays}
        onChange={(event) => set({ staleDays: event.target.value })}
      />
      <div>
        <label
          className={classes.check}
          data-lacking={factorLacking !== undefined || undefined}
          title={factorLacking}
        >
          <input
            type="checkbox"
            checked={value.secondFactorRequired}
            aria-describedby="second-factor-help"
            aria-disabled={factorLacking !== undefined || undefined}
            onChange={({ target }) => {
              if (factorLacking === undefined) set({ secondFactorRequired: target.checked });
              else toast(factorLacking);
            }}
          />
          <span>
            {t("settings.secondFactor")}
            <small id="second-factor-help">{factorLacking ?? t("settings.secondFactorHelp")}</small>
          </span>
        </label>
        {factorLacking !== undefined && (
          <Link
            className={`${classes.way} reach`}
            to="/$organization/settings/security"
            params={{ organization }}
          >
            {t("state.setUpFactor")}
          </Link>
        )}
      </div>
    </EditForm>
  );
}
