import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Ago } from "@/components/ago";
import { EditForm } from "@/components/edit-form";
import { Grants } from "@/components/grants";
import { useLacking } from "@/components/may";
import { Page } from "@/components/page";
import { Refused } from "@/components/refused";
import { Waiting } from "@/components/states";
import { Tester } from "@/components/tester";
import { type Schemas, type Tagged, api, ifMatch, taggedOf } from "@/lib/api/client";
import { memberQuery } from "@/lib/api/people";
import { meQuery } from "@/lib/api/queries";
import { useEdits } from "@/lib/edits";
import { useTitle } from "@/lib/title";
import { Leaving } from "./leaving";
import classes from "./members.module.css";
import { Seen } from "./seen";

/** One member: what they have, what they may do, and how they leave. */
export function MemberPage() {
  const { t } = useTranslation();
  const { organization, member: id } = useParams({
    from: "/$organization/settings/members/$member",
  });
  const found = useQuery(memberQuery(organization, id));
  const member = found.data?.it;
  useTitle(member?.name ?? t("people.member"));
  const trail = (
    <Link to="/$organization/settings/members" params={{ organization }}>
      {t("people.members")}
    </Link>
  );
  const needs = { action: "member.read", resource: `member/${id}` };
  return (
    <Page title={member?.name ?? t("people.member")} trail={trail}>
      {found.isError ? (
        <Refused error={found.error} retry={() => void found.refetch()} needs={needs} />
      ) : found.data ? (
        <Whole organization={organization} found={found.data} />
      ) : (
        <Waiting />
      )}
    </Page>
  );
}

interface Props {
  organization: string;
  found: Tagged<Schemas["MemberView"]>;
}

function Whole({ organization, found }: Props) {
  const { t } = useTranslation();
  const me = useQuery(meQuery);
  const { it: member } = found;
  return (
    <>
      <p className={classes.facts}>
        {member.name !== member.email && <span>{member.email}</span>}
        <span>
          {t("people.joined")} <Ago at={member.joinedAt} />
        </span>
        <span>
          <Seen member={member} />
        </span>
        <span>{member.secondFactor ? t("people.twoFactors") : t("people.passwordOnly")}</span>
        {me.data?.id === member.id && <span>{t("people.you")}</span>}
      </p>
      <Given organization={organization} found={found} />
      <section className={classes.section} aria-label={t("tester.title")}>
        <h2>{t("tester.title")}</h2>
        <Tester organization={organization} member={member} />
      </section>
      <Leaving organization={organization} member={member} />
    </>
  );
}

function Given({ organization, found }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { it: member, tag } = found;
  const edits = useEdits({ policies: member.policies, groups: member.groups }, tag);
  const { queryKey } = memberQuery(organization, member.id);
  const lacking = useLacking(organization, {
    update: { action: "member.update", resource: `member/${member.id}` },
  });
  async function save() {
    const params = { path: { id: member.id } };
    const body = edits.value;
    const headers = ifMatch(edits.tag);
    const answer = await api(organization).PUT("/api/v1/members/{id}", { params, body, headers });
    queries.setQueryData(queryKey, taggedOf(answer));
    edits.reset();
    await queries.invalidateQueries({ queryKey: ["members", organization] });
    await queries.invalidateQueries({ queryKey: ["permissions", organization] });
  }
  return (
    <EditForm
      command={t("people.save", { name: member.name })}
      saved={t("people.saved", { name: member.name })}
      save={save}
      dirty={edits.dirty}
      reset={edits.reset}
      again={async () => {
        await queries.refetchQueries({ queryKey });
        edits.rebase();
      }}
      lacking={lacking.update}
    >
      <Grants organization={organization} granted={edits.value} change={edits.set} />
    </EditForm>
  );
}
