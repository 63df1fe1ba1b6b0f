import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { TextField } from "@/components/field";
import { SidePanel } from "@/components/side-panel";
import { ForgetUser } from "./forget-user";
import classes from "./users.module.css";

/** Whom to forget: somebody may be in targets and in the history without being known. */
export function ForgetPanel({ organization, close }: { organization: string; close: () => void }) {
  const { t } = useTranslation();
  const [key, setKey] = useState("");
  const [asked, setAsked] = useState<string>();
  return (
    <SidePanel title={t("users.forget")} close={close}>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (key.trim() !== "") setAsked(key.trim());
        }}
      >
        <p>{t("users.forgetHelp")}</p>
        <TextField
          label={t("users.key")}
          mono
          required
          autoComplete="off"
          data-autofocus
          value={key}
          onChange={(event) => setKey(event.target.value)}
        />
        <div>
          <Button type="submit">{t("users.forgetGoOn")}</Button>
        </div>
      </form>
      {asked !== undefined && (
        <ForgetUser organization={organization} user={asked} close={() => setAsked(undefined)} />
      )}
    </SidePanel>
  );
}
