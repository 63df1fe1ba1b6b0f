import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Anchored } from "@/components/anchored";
import { Button } from "@/components/button";
import { useLacking } from "@/components/may";
import { Wrong } from "@/components/states";
import { type FileKind, downloadUsers, save } from "@/lib/api/user-files";
import classes from "./users.module.css";

interface Props {
  organization: string;
  project: string;
  environment: string;
  forget: () => void;
}

/** What is done with all of them, and seldom: as a file, and forgetting somebody. */
export function UserMenu({ organization, project, environment, forget }: Props) {
  const { t } = useTranslation();
  const [anchor, setAnchor] = useState<HTMLElement>();
  const close = () => setAnchor(undefined);
  const lacking = useLacking(organization, {
    read: { action: "user.read", resource: `project/${project}:env/${environment}` },
    forget: { action: "user.forget", resource: "organization" },
  });
  const download = useMutation({
    mutationFn: async (kind: FileKind) => {
      const file = await downloadUsers(organization, { project, environment }, kind);
      save(file, `users-${project}-${environment}.${kind === "csv" ? "csv" : "jsonl"}`);
    },
    onSuccess: close,
  });
  return (
    <>
      <Button aria-haspopup="dialog" onClick={(event) => setAnchor(event.currentTarget)}>
        {t("users.more")}
      </Button>
      {anchor && (
        <Anchored anchor={anchor} title={t("users.more")} close={close}>
          <div className={classes.menu}>
            <p className={classes.quiet}>{t("users.downloadHelp", { environment })}</p>
            <Button
              busy={download.isPending}
              lacking={lacking.read}
              onClick={() => download.mutate("csv")}
            >
              {t("users.downloadCsv")}
            </Button>
            <Button
              busy={download.isPending}
              lacking={lacking.read}
              onClick={() => download.mutate("jsonLines")}
            >
              {t("users.downloadLines")}
            </Button>
            <Wrong error={download.error} />
            <hr />
            <Button
              lacking={lacking.forget}
              onClick={() => {
                close();
                forget();
              }}
            >
              {t("users.forget")}
            </Button>
          </div>
        </Anchored>
      )}
    </>
  );
}
