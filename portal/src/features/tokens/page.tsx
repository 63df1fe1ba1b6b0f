import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { useLacking } from "@/components/may";
import { Page } from "@/components/page";
import { Empty, Failure, Waiting } from "@/components/states";
import { meQuery } from "@/lib/api/queries";
import { tokensQuery } from "@/lib/api/people";
import { useTitle } from "@/lib/title";
import { NewToken } from "./new-token";
import { TokenTable } from "./table";
import classes from "./tokens.module.css";

/** One's own tokens, and those of the organization's programs for who may see them. */
export function TokensPage() {
  const { t } = useTranslation();
  const { organization } = useParams({ from: "/$organization/settings/tokens" });
  useTitle(t("token.tokens"));
  const me = useQuery(meQuery);
  const tokens = useQuery(tokensQuery(organization));
  const [making, setMaking] = useState(false);
  const [revoked, setRevoked] = useState(false);
  const lacking = useLacking(organization, {
    write: { action: "token.write", resource: "token/*" },
    read: { action: "token.read", resource: "token/*" },
  });
  const all = (tokens.data ?? []).filter((it) => revoked || it.revokedAt == null);
  const gone = (tokens.data ?? []).some((it) => it.revokedAt != null);
  const own = all.filter((it) => it.kind === "personal" && it.member === me.data?.id);
  const others = all.filter((it) => !own.includes(it));
  const make = (
    <Button look="primary" onClick={() => setMaking(true)}>
      {t("token.new")}
    </Button>
  );
  const empty = tokens.data?.length === 0;
  return (
    <Page title={t("token.tokens")} help={t("token.help")} actions={!empty && make}>
      {tokens.isError && <Failure error={tokens.error} retry={() => void tokens.refetch()} />}
      {tokens.isPending && <Waiting />}
      {empty && (
        <Empty title={t("token.none")}>
          <p>{t("token.noneHelp")}</p>
          {make}
        </Empty>
      )}
      {own.length > 0 && (
        <section className={classes.part}>
          <h2>{t("token.own")}</h2>
          <TokenTable organization={organization} label={t("token.own")} tokens={own} />
        </section>
      )}
      {others.length > 0 && (
        <section className={classes.part}>
          <h2>{t("token.organization")}</h2>
          <TokenTable
            organization={organization}
            label={t("token.organization")}
            tokens={others}
            others
            lacking={lacking.write}
          />
        </section>
      )}
      {lacking.read && <p className={classes.help}>{lacking.read}</p>}
      {gone && (
        <Button small look="quiet" aria-pressed={revoked} onClick={() => setRevoked(!revoked)}>
          {t(revoked ? "token.hideRevoked" : "token.showRevoked")}
        </Button>
      )}
      {making && (
        <NewToken
          organization={organization}
          lacking={lacking.write}
          close={() => setMaking(false)}
        />
      )}
    </Page>
  );
}
