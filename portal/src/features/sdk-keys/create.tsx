import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { CopyButton } from "@/components/copy";
import { TextField } from "@/components/field";
import { RadioChoice } from "@/components/radio-choice";
import { SidePanel } from "@/components/side-panel";
import { Wrong } from "@/components/states";
import { type Place, createSdkKey, sdkKeysQuery } from "@/lib/api/environments";
import classes from "./sdk-keys.module.css";

const KINDS = ["server", "client"] as const;

/** Another key, that works at once. */
export function CreateKey({ place, close }: { place: Place; close: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [kind, setKind] = useState<(typeof KINDS)[number]>("server");
  const [name, setName] = useState("");
  const create = useMutation({
    mutationFn: () => createSdkKey(place, { kind, name: name.trim() }),
    onSuccess: () => queries.invalidateQueries(sdkKeysQuery(place)),
  });
  if (create.data) {
    const { secret } = create.data;
    return (
      <SidePanel title={t("sdkKeys.made", { name: create.data.name })} close={close}>
        <div className={classes.form} role="status">
          <p>{t("sdkKeys.madeHelp")}</p>
          <code className={classes.secret}>{secret || t("sdkKeys.notShown")}</code>
          {secret !== "" && (
            <div>
              <CopyButton text={secret} label={t("sdkKeys.copyNew")} look="primary" />
            </div>
          )}
        </div>
      </SidePanel>
    );
  }
  return (
    <SidePanel title={t("sdkKeys.new")} close={close}>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <TextField
          label={t("sdkKeys.name")}
          help={t("sdkKeys.nameHelp")}
          required
          maxLength={256}
          data-autofocus
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <RadioChoice
          label={t("sdkKeys.kind")}
          choices={KINDS.map((key) => ({
            key,
            text: t(`sdkKeys.kinds.${key}`),
            help: t(`sdkKeys.kindsHelp.${key}`),
          }))}
          chosen={kind}
          choose={setKind}
        />
        <Wrong error={create.error} />
        <div>
          <Button type="submit" look="primary" busy={create.isPending}>
            {t("sdkKeys.create")}
          </Button>
        </div>
      </form>
    </SidePanel>
  );
}
