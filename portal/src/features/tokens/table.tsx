import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Ago } from "@/components/ago";
import { Button } from "@/components/button";
import { ConfirmName } from "@/components/confirm-name";
import { Table } from "@/components/table";
import { policyName } from "@/lib/access";
import { type Schemas, api } from "@/lib/api/client";
import { tokensQuery } from "@/lib/api/people";
import { useFormat } from "@/lib/format";
import { toast } from "@/lib/toasts";
import classes from "./tokens.module.css";

type Token = Schemas["TokenView"];

interface Props {
  organization: string;
  label: string;
  tokens: Token[];
  lacking?: string | undefined;
}

/** Tokens, when they were used, and the way to end them. */
export function TokenTable({ organization, label, tokens, lacking }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [revoking, setRevoking] = useState<Token>();
  const heads = [t("token.name"), t("token.lastUsed"), t("token.ends"), ""];
  async function revoke({ id, name }: Token) {
    await api(organization).DELETE("/api/v1/tokens/{id}", { params: { path: { id } } });
    toast(t("token.revoked", { name }));
    await queries.invalidateQueries({ queryKey: tokensQuery(organization).queryKey });
  }
  return (
    <>
      <Table label={label} heads={heads}>
        {tokens.map((token) => (
          <tr key={token.id} data-revoked={token.revokedAt != null || undefined}>
            <td>
              <strong>{token.name}</strong>
              <What token={token} />
            </td>
            <td>{token.lastUsedAt ? <Ago at={token.lastUsedAt} /> : t("token.never")}</td>
            <td>{token.expiresAt ? <Ago at={token.expiresAt} /> : t("token.neverEnds")}</td>
            <td className={classes.commands}>
              {token.revokedAt == null ? (
                <Button
                  small
                  lacking={lacking}
                  aria-label={t("token.revokeOne", { name: token.name })}
                  onClick={() => setRevoking(token)}
                >
                  {t("token.revoke")}
                </Button>
              ) : (
                t("token.isRevoked")
              )}
            </td>
          </tr>
        ))}
      </Table>
      {revoking && (
        <ConfirmName
          name={revoking.name}
          command={t("token.revokeOne", { name: revoking.name })}
          run={() => revoke(revoking)}
          close={() => setRevoking(undefined)}
        >
          <p>{t("token.revokeHelp")}</p>
          {revoking.lastUsedAt && (
            <p>
              {t("token.lastUsed")}: <Ago at={revoking.lastUsedAt} />
            </p>
          )}
        </ConfirmName>
      )}
    </>
  );
}

/** How to recognise it, and what bounds it. */
function What({ token }: { token: Token }) {
  const { t } = useTranslation();
  const { list } = useFormat();
  const { prefix, policies, networks, kind } = token;
  return (
    <small className={classes.what}>
      <code>{prefix}…</code>
      {kind === "service" && policies.length > 0 && (
        <span>{list(policies.map((it) => policyName(t, it)))}</span>
      )}
      {networks.length > 0 && <span>{t("token.from", { networks: list(networks) })}</span>}
    </small>
  );
}
