import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { useLacking } from "@/components/may";
import { Page } from "@/components/page";
import { NoRight } from "@/components/refused";
import { Failure, Waiting } from "@/components/states";
import { Table } from "@/components/table";
import { policyHelp, policyName } from "@/lib/access";
import type { Schemas } from "@/lib/api/client";
import { fewMembersQuery, groupsQuery, policiesQuery } from "@/lib/api/people";
import { useTitle } from "@/lib/title";
import { NewPolicy } from "./new-policy";
import classes from "./policies.module.css";

/** What can be given to people: built-in policies, and those of the organization. */
export function PoliciesPage() {
  const { t } = useTranslation();
  const { organization } = useParams({ from: "/$organization/settings/policies" });
  useTitle(t("policy.policies"));
  const policies = useQuery(policiesQuery(organization));
  const groups = useQuery(groupsQuery(organization));
  const members = useQuery(fewMembersQuery(organization));
  // Among very many nobody is counted: each policy says who has it.
  const few = members.data?.all;
  const [making, setMaking] = useState(false);
  const needs = { action: "policy.read", resource: "policy/*" };
  const lacking = useLacking(organization, {
    read: needs,
    write: { action: "policy.write", resource: "policy/*" },
  });
  const count = (all: { policies: string[] }[] | undefined, key: string) =>
    all?.filter((it) => it.policies.includes(key)).length ?? 0;
  const own = policies.data?.some((it) => !it.builtin) ?? true;
  const used = (key: string) => {
    const inGroups = count(groups.data, key);
    const direct = count(few, key);
    if (inGroups === 0 && direct === 0) return t("policy.nobody");
    const people = t("policy.members", { count: direct });
    const groupsOf = t("policy.groups", { count: inGroups });
    if (inGroups === 0) return people;
    return direct === 0 ? groupsOf : t("policy.usedBy", { members: people, groups: groupsOf });
  };
  const row = ({ key, name, description, builtin }: Schemas["PolicyView"]) => (
    <tr key={key}>
      <td>
        <Link
          to="/$organization/settings/policies/$policy"
          params={{ organization, policy: key }}
          className={classes.name}
        >
          {policyName(t, key, name)}
        </Link>
        <small className={classes.help}>{policyHelp(t, key, description)}</small>
      </td>
      <td>{builtin ? t("policy.builtin") : <code>{key}</code>}</td>
      {few && <td>{used(key)}</td>}
    </tr>
  );
  return (
    <Page
      title={t("policy.policies")}
      help={t("policy.help")}
      actions={
        <Button look="primary" lacking={lacking.write} onClick={() => setMaking(true)}>
          {t("policy.new")}
        </Button>
      }
    >
      {policies.isError && <Failure error={policies.error} retry={() => void policies.refetch()} />}
      {policies.isPending && <Waiting />}
      {policies.data?.length === 0 && lacking.read && (
        <NoRight needs={needs} title={t("policy.unseen")} />
      )}
      {policies.data && policies.data.length > 0 && (
        <Table
          label={t("policy.policies")}
          heads={[t("policy.name"), t("policy.key"), ...(few ? [t("policy.who")] : [])]}
        >
          {policies.data.map(row)}
        </Table>
      )}
      {!own && !lacking.write && <p className={classes.hint}>{t("policy.noneOwn")}</p>}
      {making && <NewPolicy organization={organization} close={() => setMaking(false)} />}
    </Page>
  );
}
