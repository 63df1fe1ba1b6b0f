import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Ago } from "@/components/ago";
import { Button } from "@/components/button";
import { ConfirmName } from "@/components/confirm-name";
import { Table } from "@/components/table";
import { policyName } from "@/lib/access";
import { type Schemas, api } from "@/lib/api/client";
import { policiesQuery, tokensQuery } from "@/lib/api/people";
import { useFormat } from "@/lib/format";
import { toast } from "@/lib/toasts";
import classes from "./tokens.module.css";

type Token = Schemas["TokenView"];

interface Props {
  organization: string;
  label: string;
  tokens: Token[];
  /** Whether they are not the reader's own: then each says whose it is. */
  others?: boolean;
  lacking?: string | undefined;
}

/** Tokens, when they were used, and the way to end them. */
export function TokenTable({ organization, label, tokens, others = false, lacking }: Props) {
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
              <What organization={organization} token={token} others={others} />
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

interface WhatProps {
  organization: string;
  token: Token;
  others: boolean;
}

/** How to recognise it, and what bounds it. */
function What({ organization, token, others }: WhatProps) {
  const { t } = useTranslation();
  const { list } = useFormat();
  const known = useQuery(policiesQuery(organization));
  const named = (key: string) => policyName(t, key, known.data?.find((it) => it.key === key)?.name);
  const { prefix, policies, statements, networks, kind, memberName } = token;
  return (
    <small className={classes.what}>
      <code>{prefix}…</code>
      {others && (
        <span>
          {memberName == null
            ? t("token.ofNobody")
            : t(kind === "service" ? "token.madeBy" : "token.of", { name: memberName })}
        </span>
      )}
      {kind === "service" && statements.length > 0 && (
        <span>{t("token.ownStatements", { count: statements.length })}</span>
      )}
      {kind === "service" && policies.length > 0 && <span>{list(policies.map(named))}</span>}
      {networks.length > 0 && <span>{t("token.from", { networks: list(networks) })}</span>}
    </small>
  );
}
