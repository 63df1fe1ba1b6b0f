import { Modal } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { sessionEnded } from "@/lib/api/client";
import { meQuery } from "@/lib/api/queries";
import classes from "./session.module.css";
import { SignInForm } from "./sign-in-form";

/** The session ended in the middle of something: one signs in on top of it, and goes on. */
export function SessionEnded() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const me = useQuery({ ...meQuery, enabled: false });
  return (
    <Modal
      opened
      onClose={() => undefined}
      withCloseButton={false}
      title={t("session.ended")}
      centered
    >
      <div className={classes.form}>
        <p>{t("session.endedHelp")}</p>
        <SignInForm
          {...(me.data ? { email: me.data.email } : {})}
          done={() => {
            sessionEnded.set(false);
            void queries.invalidateQueries();
          }}
        />
      </div>
    </Modal>
  );
}
