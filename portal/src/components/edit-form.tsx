import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Refused } from "@/lib/api/client";
import { toast } from "@/lib/toasts";
import { Button } from "./button";
import classes from "./edit-form.module.css";
import { Wrong } from "./states";

interface Props {
  /** The command: `Save the organization`. */
  command: string;
  /** Said when it is done. */
  saved: string;
  save: () => Promise<unknown>;
  dirty: boolean;
  /** Takes back what was typed. */
  reset: () => void;
  /** Asks for what others made of it; what was typed stays. */
  again?: (() => Promise<unknown>) | undefined;
  lacking?: string | undefined;
  /** As wide as the page. */
  wide?: boolean;
  children: ReactNode;
}

/** What is saved by itself, and not by a change set. */
export function EditForm(props: Props) {
  const { command, saved, save, dirty, reset, again, lacking, wide, children } = props;
  const { t } = useTranslation();
  const saving = useMutation({
    mutationFn: save,
    onSuccess: () => toast(saved),
  });
  const loading = useMutation({
    mutationFn: async () => again?.(),
    onSuccess: () => saving.reset(),
  });
  const { error } = saving;
  const overtaken = error instanceof Refused && error.problem?.code === "changedMeanwhile";
  return (
    <form
      className={classes.form}
      data-wide={wide || undefined}
      onSubmit={(event) => {
        event.preventDefault();
        if (lacking === undefined && dirty && !saving.isPending) saving.mutate();
      }}
    >
      {children}
      {overtaken && again ? (
        <div className={classes.overtaken} role="alert">
          <p>{t("save.overtaken")}</p>
          <Button small busy={loading.isPending} onClick={() => loading.mutate()}>
            {t("save.loadAgain")}
          </Button>
        </div>
      ) : (
        <Wrong error={error} />
      )}
      {lacking !== undefined && <p className={classes.lacking}>{lacking}</p>}
      <div className={classes.buttons}>
        <Button
          type="submit"
          look="primary"
          busy={saving.isPending}
          lacking={lacking ?? (dirty ? undefined : t("save.nothing"))}
        >
          {command}
        </Button>
        {dirty && (
          <Button
            look="quiet"
            onClick={() => {
              reset();
              saving.reset();
            }}
          >
            {t("save.discard")}
          </Button>
        )}
      </div>
    </form>
  );
}
