import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Page } from "@/components/page";
import { Waiting } from "@/components/states";
import { meQuery } from "@/lib/api/queries";
import { useTitle } from "@/lib/title";
import classes from "./account.module.css";
import { Password } from "./password";
import { SecondFactor } from "./second-factor";
import { Sessions } from "./sessions";

/** What keeps others out of one's account. */
export function SecurityPage() {
  const { t } = useTranslation();
  useTitle(t("account.security"));
  const me = useQuery(meQuery);
  if (!me.data) return <Waiting />;
  return (
    <Page title={t("account.security")}>
      <section className={classes.part} aria-label={t("account.secondFactor")}>
        <h2>{t("account.secondFactor")}</h2>
        <SecondFactor me={me.data} />
      </section>
      <section className={classes.part} aria-label={t("account.password")}>
        <h2>{t("account.password")}</h2>
        <Password />
      </section>
      <section className={classes.part} aria-label={t("account.sessions")}>
        <h2>{t("account.sessions")}</h2>
        <Sessions />
      </section>
    </Page>
  );
}
