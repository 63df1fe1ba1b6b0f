import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ConfirmName } from "@/components/confirm-name";
import { useLacking } from "@/components/may";
import { Page } from "@/components/page";
import { Refused } from "@/components/refused";
import { Waiting } from "@/components/states";
import { api } from "@/lib/api/client";
import { groupQuery, groupsQuery } from "@/lib/api/people";
import { useTitle } from "@/lib/title";
import { toast } from "@/lib/toasts";
import { EditGroup } from "./edit-group";
import { GroupMembers } from "./group-members";
import classes from "./groups.module.css";

/** One group: what it gives, and to whom. */
export function GroupPage() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { organization, group: key } = useParams({ from: "/$organization/settings/groups/$group" });
  const found = useQuery(groupQuery(organization, key));
  const name = found.data?.it.name ?? key;
  const resource = `group/${key}`;
  useTitle(name);
  const lacking = useLacking(organization, { write: { action: "group.write", resource } });
  const [deleting, setDeleting] = useState(false);
  const trail = (
    <Link to="/$organization/settings/groups" params={{ organization }}>
      {t("group.groups")}
    </Link>
  );
  async function remove() {
    const params = { path: { group: key } };
    await api(organization).DELETE("/api/v1/groups/{group}", { params });
    toast(t("group.deleted", { key }));
    await navigate({ to: "/$organization/settings/groups", params: { organization } });
    queries.removeQueries({ queryKey: groupQuery(organization, key).queryKey });
    await queries.invalidateQueries({ queryKey: groupsQuery(organization).queryKey });
    await queries.invalidateQueries({ queryKey: ["members", organization] });
  }
  return (
    <Page
      title={name}
      trail={trail}
      actions={
        found.data && (
          <Button look="danger" lacking={lacking.write} onClick={() => setDeleting(true)}>
            {t("group.delete")}
          </Button>
        )
      }
    >
      {found.isError && (
        <Refused
          error={found.error}
          retry={() => void found.refetch()}
          needs={{ action: "group.read", resource }}
        />
      )}
      {found.isPending && <Waiting />}
      {found.data && (
        <>
          <section className={classes.part} aria-label={t("group.members")}>
            <h2>{t("group.members")}</h2>
            <GroupMembers organization={organization} group={key} />
          </section>
          <EditGroup
            key={key}
            organization={organization}
            found={found.data}
            lacking={lacking.write}
          />
        </>
      )}
      {deleting && (
        <ConfirmName
          name={key}
          command={t("group.deleteOne", { key })}
          run={remove}
          close={() => setDeleting(false)}
        >
          <p>{t("group.deleteHelp")}</p>
        </ConfirmName>
      )}
    </Page>
  );
}
