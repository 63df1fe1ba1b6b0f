import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { useLacking } from "@/components/may";
import { Page } from "@/components/page";
import { NoRight } from "@/components/refused";
import { Empty, Failure, Waiting } from "@/components/states";
import { Table } from "@/components/table";
import { policyName } from "@/lib/access";
import { fewMembersQuery, groupsQuery, policiesQuery } from "@/lib/api/people";
import { useFormat } from "@/lib/format";
import { useTitle } from "@/lib/title";
import classes from "./groups.module.css";
import { NewGroup } from "./new-group";

/** The groups: what their members have, and how many there are. */
export function GroupsPage() {
  const { t } = useTranslation();
  const { list } = useFormat();
  const { organization } = useParams({ from: "/$organization/settings/groups" });
  useTitle(t("group.groups"));
  const groups = useQuery(groupsQuery(organization));
  const policies = useQuery(policiesQuery(organization));
  const members = useQuery(fewMembersQuery(organization));
  const few = members.data?.all;
  const [making, setMaking] = useState(false);
  const needs = { action: "group.read", resource: "group/*" };
  const lacking = useLacking(organization, {
    read: needs,
    write: { action: "group.write", resource: "group/*" },
  });
  const named = (key: string) =>
    policyName(t, key, policies.data?.find((it) => it.key === key)?.name);
  const make = (
    <Button look="primary" lacking={lacking.write} onClick={() => setMaking(true)}>
      {t("group.new")}
    </Button>
  );
  const empty = groups.data?.length === 0;
  return (
    <Page title={t("group.groups")} actions={!empty && make}>
      {groups.isError && <Failure error={groups.error} retry={() => void groups.refetch()} />}
      {groups.isPending && <Waiting />}
      {empty && lacking.read && <NoRight needs={needs} title={t("group.unseen")} />}
      {empty && !lacking.read && (
        <Empty title={t("group.none")}>
          <p>{t("group.noneHelp")}</p>
          {make}
        </Empty>
      )}
      {groups.data && !empty && (
        <Table
          label={t("group.groups")}
          heads={[t("group.name"), t("group.gives"), ...(few ? [t("group.members")] : [])]}
        >
          {groups.data.map(({ key, name, description, policies }) => (
            <tr key={key}>
              <td>
                <Link
                  to="/$organization/settings/groups/$group"
                  params={{ organization, group: key }}
                  className={classes.name}
                >
                  {name}
                </Link>
                {description && <small className={classes.help}>{description}</small>}
              </td>
              <td>{policies.length > 0 ? list(policies.map(named)) : t("group.nothing")}</td>
              {few && <td>{few.filter((it) => it.groups.includes(key)).length}</td>}
            </tr>
          ))}
        </Table>
      )}
      {making && <NewGroup organization={organization} close={() => setMaking(false)} />}
    </Page>
  );
}
