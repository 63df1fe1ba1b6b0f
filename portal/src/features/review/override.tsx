import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { TextField } from "@/components/field";
import { useFormat } from "@/lib/format";
import classes from "./review.module.css";
import type { useSend } from "./send";

interface Props {
  environments: string[];
  sending: ReturnType<typeof useSend>;
  lacking: string | undefined;
  close: () => void;
}

/** In an emergency: at once, without those who would have to agree, and with the reason for all to see. */
export function OverrideForm({ environments, sending, lacking, close }: Props) {
  const { t } = useTranslation();
  const { list } = useFormat();
  const [reason, setReason] = useState("");
  return (
    <form
      className={classes.override}
      onSubmit={(event) => {
        event.preventDefault();
        if (reason.trim() !== "" && lacking === undefined) sending.override(reason.trim());
      }}
    >
      <TextField
        label={t("quick.reason")}
        required
        autoFocus
        maxLength={2000}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      <div className={classes.buttons}>
        <Button type="submit" look="danger" busy={sending.busy} lacking={lacking}>
          {t("review.overrideTo", { environments: list(environments) })}
        </Button>
        <Button look="quiet" onClick={close}>
          {t("action.cancel")}
        </Button>
      </div>
    </form>
  );
}
