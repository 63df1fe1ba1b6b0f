import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { TextField } from "@/components/field";
import { Wrong } from "@/components/states";
import type { Schemas } from "@/lib/api/client";
import { type Place, renameSdkKey, sdkKeysQuery } from "@/lib/api/environments";
import classes from "./sdk-keys.module.css";

interface Props {
  place: Place;
  of: Schemas["SdkKeyView"];
  close: () => void;
}

/** Another name for a key. It works on as it is. */
export function RenameKey({ place, of, close }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [name, setName] = useState(of.name);
  const rename = useMutation({
    mutationFn: () => renameSdkKey(place, of.id, name.trim()),
    onSuccess: async () => {
      await queries.invalidateQueries(sdkKeysQuery(place));
      close();
    },
  });
  return (
    <Dialog title={t("sdkKeys.renameNamed", { name: of.name })} close={close}>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate();
        }}
      >
        <TextField
          label={t("sdkKeys.name")}
          required
          maxLength={256}
          data-autofocus
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Wrong error={rename.error} />
        <div>
          <Button type="submit" look="primary" busy={rename.isPending}>
            {t("sdkKeys.rename")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
