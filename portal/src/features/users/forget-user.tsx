import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { ConfirmName } from "@/components/confirm-name";
import { Dialog } from "@/components/dialog";
import { TextField } from "@/components/field";
import { Refused, type Schemas } from "@/lib/api/client";
import { forgetUser } from "@/lib/api/user-files";
import { useFormat } from "@/lib/format";
import classes from "./users.module.css";

interface Props {
  organization: string;
  user: string;
  close: () => void;
  /** When somebody was forgotten. */
  done?: () => void;
}

/** Takes a person out of everything that is kept; then says what it was. */
export function ForgetUser({ organization, user, close, done }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [comment, setComment] = useState("");
  const [reason, setReason] = useState("");
  const [approval, setApproval] = useState(false);
  const [forgotten, setForgotten] = useState<Schemas["Forgotten"]>();
  const read = useRef(false);

  async function run() {
    try {
      const override = approval && reason !== "" ? { override: { reason } } : {};
      const answer = await forgetUser(organization, { key: user, comment, ...override });
      read.current = true;
      setForgotten(answer);
    } catch (error) {
      if (error instanceof Refused && error.problem?.code === "approvalRequired") setApproval(true);
      throw error;
    }
  }

  if (forgotten) {
    const end = () => {
      close();
      done?.();
      // Not before: the page of somebody who is gone has nothing to show.
      void queries.invalidateQueries();
    };
    return <Result of={forgotten} close={end} />;
  }
  return (
    <ConfirmName
      name={user}
      command={t("users.forgetUser", { user })}
      run={run}
      // It closes when it is done: then there is something to be read.
      close={() => {
        if (!read.current) close();
      }}
    >
      <p>{t("users.forgetWhat")}</p>
      <p className={classes.quiet}>{t("users.forgetStays")}</p>
      <TextField
        label={t("users.forgetComment")}
        help={t("users.forgetCommentHelp")}
        value={comment}
        onChange={(event) => setComment(event.target.value)}
      />
      {approval && (
        <TextField
          label={t("users.forgetOverride")}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      )}
    </ConfirmName>
  );
}

/** Where they were, and which rules ask for them still. */
function Result({ of, close }: { of: Schemas["Forgotten"]; close: () => void }) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const counts = {
    changes: of.changes.length,
    requests: of.requests,
    images: of.images,
    entries: of.entries,
    rows: of.rows,
  };
  const found = (Object.keys(counts) as (keyof typeof counts)[]).filter((it) => counts[it] > 0);
  return (
    <Dialog title={t("users.forgotten")} close={close}>
      <div className={classes.form}>
        {found.length === 0 && of.rules.length === 0 && <p>{t("users.forgottenNothing")}</p>}
        <ul>
          {found.map((it) => (
            <li key={it}>
              {t(`users.forgottenIn.${it}`, { count: counts[it], number: number(counts[it]) })}
            </li>
          ))}
        </ul>
        {of.rules.length > 0 && (
          <>
            <p>{t("users.forgottenRules")}</p>
            <ul>
              {of.rules.map((it) => (
                <li key={`${it.kind} ${it.key} ${it.rule}`}>
                  {[it.project, it.environment].filter(Boolean).join("/")} <code>{it.key}</code>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </Dialog>
  );
}
