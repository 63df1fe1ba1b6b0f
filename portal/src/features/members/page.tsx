import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { useLacking } from "@/components/may";
import { Page } from "@/components/page";
import { NoRight } from "@/components/refused";
import { invitationsQuery } from "@/lib/api/people";
import { useSettled } from "@/lib/settled";
import { useTitle } from "@/lib/title";
import { InvitePanel } from "./invite";
import { Invitations } from "./invitations";
import { MemberList } from "./list";
import classes from "./members.module.css";

const READ = { action: "member.read", resource: "member/*" };

/** Who is in the organization, and who is invited. */
export function MembersPage() {
  const { t } = useTranslation();
  const { organization } = useParams({ from: "/$organization/settings/members" });
  const { q = "", invite = false } = useSearch({ from: "/$organization/settings/members" });
  const navigate = useNavigate({ from: "/$organization/settings/members" });
  useTitle(t("people.members"));
  const search = useSettled(q);
  const invitations = useQuery(invitationsQuery(organization));
  const lacking = useLacking(organization, {
    read: READ,
    invite: { action: "member.invite", resource: "member/*" },
  });
  const open = (invite: boolean) =>
    void navigate({ search: { ...(q === "" ? {} : { q }), ...(invite ? { invite } : {}) } });
  return (
    <Page
      title={t("people.members")}
      actions={
        <Button look="primary" lacking={lacking.invite} onClick={() => open(true)}>
          {t("people.invite")}
        </Button>
      }
    >
      <Invitations
        organization={organization}
        invitations={invitations.data ?? []}
        lacking={lacking.invite}
      />
      {lacking.read === undefined ? (
        <>
          <input
            type="search"
            className={classes.search}
            aria-label={t("people.searchMembers")}
            placeholder={t("people.searchMembers")}
            value={q}
            onChange={(event) => {
              const text = event.target.value;
              void navigate({ replace: true, search: text === "" ? {} : { q: text } });
            }}
          />
          <MemberList organization={organization} search={search} />
        </>
      ) : (
        <NoRight needs={READ} title={t("people.unseen")} />
      )}
      {invite && <InvitePanel organization={organization} close={() => open(false)} />}
    </Page>
  );
}
