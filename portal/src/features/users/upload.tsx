import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { AreaField } from "@/components/field";
import { SidePanel } from "@/components/side-panel";
import { Wrong } from "@/components/states";
import { uploadUsers } from "@/lib/api/user-files";
import { LOOKED_AT, type Previewed, preview } from "@/lib/user-preview";
import { UploadPreview, Uploaded } from "./upload-result";
import classes from "./users.module.css";

interface Props {
  organization: string;
  project: string;
  environment: string;
  close: () => void;
}

interface Chosen {
  file: Blob;
  name: string;
  begins: Previewed;
}

/** Users from a file or pasted: what is in it is shown before it is sent. */
export function Upload({ organization, project, environment, close }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<Chosen>();
  const [text, setText] = useState("");
  const send = useMutation({
    mutationFn: ({ file, begins }: Chosen) =>
      uploadUsers(organization, { project, environment }, file, begins.kind),
    onSuccess: () => {
      for (const key of ["users", "properties", "evaluate"]) {
        void queries.invalidateQueries({ queryKey: [key, organization, project] });
      }
    },
  });

  async function choose(file: Blob, name: string) {
    send.reset();
    const beginning = await file.slice(0, LOOKED_AT).text();
    setChosen({ file, name, begins: preview(beginning, file.size <= LOOKED_AT) });
  }

  return (
    <SidePanel title={t("users.uploadTo", { environment })} close={close} width={560}>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (chosen) send.mutate(chosen);
        }}
      >
        <p className={classes.quiet}>{t("users.uploadHelp")}</p>
        <label className={classes.file}>
          {t("users.file")}
          <input
            type="file"
            accept=".csv,.jsonl,.ndjson,.json,text/csv,application/x-ndjson"
            onChange={(event) => {
              const file = event.target.files?.[0];
              setText("");
              if (file) void choose(file, file.name);
            }}
          />
        </label>
        <AreaField
          label={t("users.paste")}
          mono
          rows={5}
          placeholder={"key,name,country\nana,Ana,de"}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            if (event.target.value.trim() === "") setChosen(undefined);
            else void choose(new Blob([event.target.value]), "");
          }}
        />
        {chosen && !send.data && <UploadPreview of={chosen.begins} />}
        <Wrong error={send.error} />
        {send.data ? (
          <>
            <Uploaded of={send.data} />
            <Button look="primary" onClick={close}>
              {t("users.uploadClose")}
            </Button>
          </>
        ) : (
          <Button
            type="submit"
            look="primary"
            busy={send.isPending}
            lacking={chosen ? undefined : t("users.chooseFirst")}
          >
            {send.isPending ? t("users.uploading") : t("users.uploadTo", { environment })}
          </Button>
        )}
      </form>
    </SidePanel>
  );
}
