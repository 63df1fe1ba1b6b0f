import { useState } from "react";
import { useTranslation } from "react-i18next";
import { writtenKeys } from "@/lib/keys";
import { Button } from "./button";
import classes from "./key-list.module.css";
import { FromFile, Replace } from "./key-list-replace";

interface Props {
  label: string;
  keys: readonly string[];
  file: string;
  lacking: string | undefined;
  read: (file: File | undefined) => void;
  change: (keys: string[]) => void;
}

/** What is done to the whole list. */
export function KeyActions({ label, keys, file, lacking, read, change }: Props) {
  const { t } = useTranslation();
  const [replacing, setReplacing] = useState(false);
  function download() {
    const address = URL.createObjectURL(new Blob([writtenKeys(keys)], { type: "text/csv" }));
    const link = document.createElement("a");
    link.href = address;
    link.download = `${file}.csv`;
    link.click();
    URL.revokeObjectURL(address);
  }
  return (
    <span className={classes.actions}>
      <FromFile lacking={lacking} read={read} />
      {keys.length > 0 && (
        <>
          <Button small lacking={lacking} onClick={() => setReplacing(true)}>
            {t("keys.replace")}
          </Button>
          <Button small onClick={download}>
            {t("keys.download")}
          </Button>
        </>
      )}
      {replacing && (
        <Replace
          label={label}
          count={keys.length}
          change={change}
          close={() => setReplacing(false)}
        />
      )}
    </span>
  );
}
