import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "./button";
import classes from "./confirm-name.module.css";
import { Dialog } from "./dialog";
import { TextField } from "./field";
import { Wrong } from "./states";

interface Props {
  /** What is typed to go on: the key of what goes away. */
  name: string;
  /** The command: `Delete staging`. */
  command: string;
  /** What follows, and for whom. */
  children: ReactNode;
  run: () => Promise<unknown>;
  close: () => void;
}

/** For what cannot be taken back: deleting and revoking, and nothing else. */
export function ConfirmName({ name, command, children, run, close }: Props) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState("");
  const doing = useMutation({ mutationFn: run, onSuccess: close });
  return (
    <Dialog title={command} close={close}>
      <form
        className={classes.confirm}
        onSubmit={(event) => {
          event.preventDefault();
          if (typed === name) doing.mutate();
        }}
      >
        {children}
        <TextField
          label={t("confirm.type", { name })}
          mono
          autoComplete="off"
          data-autofocus
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <Wrong error={doing.error} />
        <Button
          type="submit"
          look="danger"
          busy={doing.isPending}
          lacking={typed === name ? undefined : t("confirm.type", { name })}
        >
          {command}
        </Button>
      </form>
    </Dialog>
  );
}
