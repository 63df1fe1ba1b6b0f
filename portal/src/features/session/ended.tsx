import { Modal } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useEffect, useEffectEvent } from "react";
import { useTranslation } from "react-i18next";
import { type Schemas, api, sessionEnded } from "@/lib/api/client";
import { meQuery } from "@/lib/api/queries";
import classes from "./session.module.css";
import { SignInForm } from "./sign-in-form";

/** The session ended in the middle of something: one signs in on top of it, and goes on. */
export function SessionEnded() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { organization } = useParams({ strict: false });
  const me = useQuery({ ...meQuery, enabled: false });
  function goOn(now: Schemas["Me"]) {
    // Somebody else's pages are not this one's.
    if (me.data && me.data.id !== now.id) return location.reload();
    queries.setQueryData(meQuery.queryKey, now);
    sessionEnded.set(false);
    void queries.invalidateQueries();
  }
  const look = useEffectEvent(async () => {
    try {
      const { data } = await api("").GET("/api/v1/session");
      if (data) goOn(data);
    } catch {
      // Still out: the form is there.
    }
  });
  // Who signed in again in another tab is in here too.
  useEffect(() => {
    const seen = () => {
      if (document.visibilityState === "visible") void look();
    };
    addEventListener("focus", seen);
    document.addEventListener("visibilitychange", seen);
    return () => {
      removeEventListener("focus", seen);
      document.removeEventListener("visibilitychange", seen);
    };
  }, []);
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
        <SignInForm {...(me.data ? { email: me.data.email } : {})} done={goOn} />
        {organization && (
          // In a tab of its own, so that this one keeps what was typed.
          <a
            href={`/api/v1/session/oidc/${encodeURIComponent(organization)}`}
            target="_blank"
            rel="noreferrer"
          >
            {t("session.byProviderElsewhere")}
          </a>
        )}
      </div>
    </Modal>
  );
}
