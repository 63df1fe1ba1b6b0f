import { useQuery } from "@tanstack/react-query";
import { Navigate, useRouter, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { meQuery } from "@/lib/api/queries";
import { sessionEnded } from "@/lib/api/client";
import classes from "./session.module.css";
import { Forgotten } from "./forgotten";
import { Frame } from "./frame";
import { PasswordForm } from "./password-form";
import { SignInForm } from "./sign-in-form";
import { SingleSignOn } from "./single-sign-on";

/** Signing in: by password, by the organization's provider; and what comes before one is in. */
export function SignInPage() {
  const { t } = useTranslation();
  const router = useRouter();
  const { to = "/", error } = useSearch({ from: "/sign-in" });
  const me = useQuery(meQuery);
  const [password, setPassword] = useState<string>();
  const [way, setWay] = useState<"password" | "provider" | "forgotten">("password");

  // An address of this portal, and no other.
  const target = to.startsWith("/") && !to.startsWith("//") ? to : "/";
  const enter = () => {
    sessionEnded.set(false);
    router.history.push(target);
  };

  if (me.data?.passwordMustChange) {
    return (
      <Frame title={t("session.newPasswordTitle")}>
        <PasswordForm known={password} done={enter} />
      </Frame>
    );
  }
  if (me.data) return <Navigate to={target} replace />;
  return (
    <Frame title={t("session.title")}>
      {error && way === "password" && (
        <p role="alert" className={classes.or}>
          {t(`problem.codes.${error}` as "problem.codes.taken", {
            defaultValue: t("session.providerFailed"),
          })}
        </p>
      )}
      {way === "password" && <SignInForm done={(_, used) => setPassword(used)} />}
      {way === "provider" && <SingleSignOn to={target} />}
      {way === "forgotten" && <Forgotten />}
      <div className={classes.links}>
        {way !== "password" && (
          <button type="button" onClick={() => setWay("password")}>
            {t("session.byPassword")}
          </button>
        )}
        {way !== "provider" && (
          <button type="button" onClick={() => setWay("provider")}>
            {t("session.byProvider")}
          </button>
        )}
        {way !== "forgotten" && (
          <button type="button" onClick={() => setWay("forgotten")}>
            {t("session.forgotten")}
          </button>
        )}
      </div>
    </Frame>
  );
}
