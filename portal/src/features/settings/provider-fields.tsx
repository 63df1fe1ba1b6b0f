import { useTranslation } from "react-i18next";
import { CopyButton } from "@/components/copy";
import { AreaField, TextField } from "@/components/field";
import { Grants } from "@/components/grants";
import { SelectField } from "@/components/select-field";
import type { Schemas } from "@/lib/api/client";
import type { Provider } from "./provider";
import classes from "./settings.module.css";

interface Props {
  organization: string;
  value: Provider;
  set: (change: Partial<Provider>) => void;
  found: Schemas["SignInView"] | undefined;
}

/** Where the provider is, who may come, and what they get. */
export function ProviderFields({ organization, value, set, found }: Props) {
  const { t } = useTranslation();
  const redirect = found?.redirectUri ?? `${globalThis.location.origin}/api/v1/session/oidc`;
  return (
    <>
      <div className={classes.copied}>
        <span>{t("sso.redirect")}</span>
        <code>{redirect}</code>
        <CopyButton text={redirect} label={t("sso.copy")} />
      </div>
      <TextField
        label={t("sso.issuer")}
        help={t("sso.issuerHelp")}
        mono
        type="url"
        required
        value={value.issuer}
        onChange={(event) => set({ issuer: event.target.value })}
      />
      <TextField
        label={t("sso.client")}
        mono
        required
        value={value.clientId}
        onChange={(event) => set({ clientId: event.target.value })}
      />
      <TextField
        label={t("sso.secret")}
        help={t(found?.hasClientSecret ? "sso.secretKept" : "sso.secretHelp")}
        mono
        type="password"
        autoComplete="off"
        value={value.clientSecret}
        onChange={(event) => set({ clientSecret: event.target.value })}
      />
      <TextField
        label={t("sso.domains")}
        help={t("sso.domainsHelp")}
        mono
        value={value.domains}
        onChange={(event) => set({ domains: event.target.value })}
      />
      {value.domains.trim() !== "" && (
        <fieldset className={classes.newcomers}>
          <legend>{t("sso.newcomers")}</legend>
          <Grants
            organization={organization}
            granted={value.newcomers}
            change={(newcomers) => set({ newcomers })}
          />
        </fieldset>
      )}
      <TextField
        label={t("sso.claim")}
        help={t("sso.claimHelp")}
        mono
        value={value.groupsClaim}
        onChange={(event) => set({ groupsClaim: event.target.value })}
      />
      <AreaField
        label={t("sso.groups")}
        help={t("sso.groupsHelp")}
        mono
        value={value.groups}
        onChange={(event) => set({ groups: event.target.value })}
      />
      <SelectField
        label={t("sso.passwords")}
        help={t("sso.passwordsHelp")}
        value={value.passwords}
        onChange={(event) => set({ passwords: event.target.value === "off" ? "off" : "allowed" })}
      >
        <option value="allowed">{t("sso.allowed")}</option>
        <option value="off">{t("sso.off")}</option>
      </SelectField>
    </>
  );
}
