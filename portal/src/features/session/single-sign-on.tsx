import { type SubmitEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { TextField } from "@/components/field";
import { keepLocally, keptLocally } from "@/lib/theme";
import classes from "./session.module.css";

const KEY = "burgee-organization";

/** By the provider of an organization, which is named by its key: in the address, or by hand. */
export function SingleSignOn({ to }: { to: string }) {
  const { t } = useTranslation();
  const [key, setKey] = useState(to.split("/")[1] || (keptLocally(KEY) ?? ""));

  function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    keepLocally(KEY, key);
    const query = new URLSearchParams({ returnTo: to });
    location.assign(`/api/v1/session/oidc/${encodeURIComponent(key)}?${query}`);
  }

  return (
    <form className={classes.form} onSubmit={submit}>
      <TextField
        label={t("session.organization")}
        help={t("session.organizationHelp")}
        required
        mono
        autoFocus
        value={key}
        onChange={(event) => setKey(event.target.value)}
      />
      <Button look="primary" type="submit">
        {t("session.toProvider")}
      </Button>
    </form>
  );
}
