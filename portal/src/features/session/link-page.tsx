import { useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Failure, Waiting } from "@/components/states";
import { Refused, api, dataOf } from "@/lib/api/client";
import { meQuery } from "@/lib/api/queries";
import { FollowForm } from "./follow-form";
import { Frame } from "./frame";
import { SignInForm } from "./sign-in-form";

/** Where a link of an invitation or for a new password leads: `/link#…`. */
export function LinkPage() {
  const { t } = useTranslation();
  const link = useLocation({ select: (it) => it.hash });
  const look = useQuery({
    queryKey: ["link", link],
    queryFn: async () => dataOf(await api("").POST("/api/v1/links/look", { body: { link } })),
    retry: false,
  });
  const me = useQuery(meQuery);
  if (look.isError) {
    return (
      <Frame title={t("session.linkTitle")}>
        {look.error instanceof Refused && look.error.status === 404 ? (
          <>
            <p role="alert">{t("session.linkGone")}</p>
            <a href="/sign-in">{t("session.title")}</a>
          </>
        ) : (
          <Failure error={look.error} retry={() => void look.refetch()} />
        )}
      </Frame>
    );
  }
  if (!look.data || me.isPending) {
    return (
      <Frame title={t("session.linkTitle")}>
        <Waiting rows={3} />
      </Frame>
    );
  }
  const { email, invitation, needsSignIn } = look.data;
  return (
    <Frame title={t(invitation ? "session.invitation" : "session.newPasswordTitle")}>
      {needsSignIn && me.data?.email !== email ? (
        <>
          <p>{t("session.signInFirst", { email })}</p>
          <SignInForm key={email} email={email} done={() => undefined} />
        </>
      ) : (
        <FollowForm link={link} view={look.data} />
      )}
    </Frame>
  );
}
