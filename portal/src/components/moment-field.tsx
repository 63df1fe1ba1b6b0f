import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { localOf, zone } from "@/lib/moments";
import { useNow } from "@/lib/now";
import { TextField } from "./field";

interface Props {
  label: ReactNode;
  /** As the browser's field has it. */
  value: string;
  change: (value: string) => void;
  error?: string | undefined;
}

/** A day and an hour ahead, of the reader's own clock; its zone is said. */
export function MomentField({ label, value, change, error }: Props) {
  const { t } = useTranslation();
  const now = useNow();
  return (
    <TextField
      type="datetime-local"
      label={label}
      help={t("moment.zone", { zone: zone() })}
      error={error}
      min={localOf(new Date(now))}
      value={value}
      onChange={(event) => change(event.target.value)}
    />
  );
}
