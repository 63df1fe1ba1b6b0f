import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Ago } from "@/components/ago";
import { Button } from "@/components/button";
import { CopyButton } from "@/components/copy";
import { Table } from "@/components/table";
import { policyName } from "@/lib/access";
import { type Schemas, api, dataOf } from "@/lib/api/client";
import { invitationsQuery } from "@/lib/api/people";
import { useFormat } from "@/lib/format";
import { said } from "@/lib/problems";
import { toast } from "@/lib/toasts";
import classes from "./members.module.css";

interface Props {
  organization: string;
  invitations: Schemas["InvitationView"][];
  lacking: string | undefined;
}

/** Who was invited and has not come yet. */
export function Invitations({ organization, invitations, lacking }: Props) {
  const { t } = useTranslation();
  // By address. They are told once, and the list is asked for again whenever somebody is invited.
  const [links, setLinks] = useState<Record<string, string>>({});
  if (invitations.length === 0) return null;
  const heads = [t("people.email"), t("people.gets"), t("people.expires"), ""];
  return (
    <section className={classes.part}>
      <h2>{t("people.open")}</h2>
      <p className={classes.quiet}>{t("people.newLinkHelp")}</p>
      <Table label={t("people.open")} heads={heads}>
        {invitations.map((it) => (
          <Row
            key={it.email}
            organization={organization}
            invitation={it}
            lacking={lacking}
            link={links[it.email]}
            keep={(link) => setLinks((all) => ({ ...all, [it.email]: link }))}
          />
        ))}
      </Table>
    </section>
  );
}

interface RowProps {
  organization: string;
  invitation: Schemas["InvitationView"];
  lacking: string | undefined;
  link: string | undefined;
  keep: (link: string) => void;
}

function Row({ organization, invitation, lacking, link, keep }: RowProps) {
  const { t } = useTranslation();
  const { list } = useFormat();
  const queries = useQueryClient();
  const { queryKey } = invitationsQuery(organization);
  const { id, email, policies, groups } = invitation;
  const again = () => queries.invalidateQueries({ queryKey });
  const failed = (error: unknown) => toast(said(t, error).text);
  const renew = useMutation({
    mutationFn: async () => {
      const body = { email, policies, groups };
      return dataOf(await api(organization).POST("/api/v1/invitations", { body }));
    },
    onSuccess: async (made) => {
      keep(made.link ?? "");
      toast(t("people.newLinkMade", { email }));
      await again();
    },
    onError: failed,
  });
  const withdraw = useMutation({
    mutationFn: () =>
      api(organization).DELETE("/api/v1/invitations/{id}", { params: { path: { id } } }),
    onSuccess: async () => {
      await again();
      toast(t("people.withdrawn", { email }));
    },
    onError: failed,
  });
  const gets = [...groups, ...policies.map((it) => policyName(t, it))];
  return (
    <tr>
      <td className={classes.email}>{email}</td>
      <td>{gets.length > 0 ? list(gets) : t("people.nothing")}</td>
      <td>
        <Ago at={invitation.expiresAt} />
      </td>
      <td className={classes.commands}>
        {link === undefined ? (
          <Button small busy={renew.isPending} lacking={lacking} onClick={() => renew.mutate()}>
            {t("people.newLink")}
          </Button>
        ) : (
          <CopyButton text={link} label={t("people.copyLink")} />
        )}
        <Button
          small
          look="quiet"
          busy={withdraw.isPending}
          lacking={lacking}
          onClick={() => withdraw.mutate()}
        >
          {t("people.withdraw")}
        </Button>
      </td>
    </tr>
  );
}
