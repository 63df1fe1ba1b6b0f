import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { type Statement, actionWords, policyName, resourceWords } from "@/lib/access";
import type { Schemas } from "@/lib/api/client";
import { actionsQuery, membersQuery, policiesQuery, someMembersQuery } from "@/lib/api/people";
import { permissionsQuery } from "@/lib/api/permissions";
import { useFormat } from "@/lib/format";
import { useSettled } from "@/lib/settled";
import { draftOf, placed } from "@/lib/policy-draft";
import { MemberField } from "./member-field";
import { useResources } from "./resources";
import { SelectField } from "./select-field";
import { Sentence } from "./sentence";
import { Waiting, Wrong } from "./states";
import classes from "./tester.module.css";

interface Props {
  organization: string;
  /** Of whom it is asked; chosen where none is given. */
  member?: Schemas["MemberView"];
  /** Who has this policy is asked about first. */
  policy?: string;
  /** What that policy says while it is edited: answered as if it were saved. */
  edited?: Statement[] | undefined;
}

/** Can this member do X on Y, and why: asked of the server. */
export function Tester({ organization, member: given, policy, edited }: Props) {
  const { t } = useTranslation();
  const { list } = useFormat();
  const id = useId();
  const actions = useQuery(actionsQuery);
  const [chosen, setChosen] = useState<Schemas["MemberView"]>();
  const first = useFirst(organization, policy, given === undefined);
  const offered = useResources(organization, "questions");
  const [action, setAction] = useState("flag.turnOn");
  const [typed, setTyped] = useState<string>();
  const resource = typed ?? offered[0] ?? "";
  const member = given ?? chosen ?? first;
  const asked = resource === "" || member === undefined ? [] : [{ action, resource }];
  const settled = useSettled(edited);
  const draft = draftOf(policy, settled);
  const answer = useQuery({
    ...permissionsQuery(organization, asked, member?.id, draft?.policy),
    retry: false,
  });
  const found = answer.data?.[0];
  return (
    <div className={classes.tester}>
      <div className={classes.question}>
        {given === undefined && (
          <MemberField
            organization={organization}
            label={t("tester.member")}
            chosen={member}
            choose={setChosen}
          />
        )}
        <SelectField
          label={t("tester.action")}
          value={action}
          onChange={(event) => setAction(event.target.value)}
        >
          {(actions.data ?? [action]).map((it) => (
            <option key={it} value={it}>
              {actionWords(t, it)}
            </option>
          ))}
        </SelectField>
        <label className={classes.resource} htmlFor={id}>
          {t("tester.resource")}
          <input
            id={id}
            list={`${id}-offered`}
            value={resource}
            onChange={(event) => setTyped(event.target.value)}
          />
        </label>
        <datalist id={`${id}-offered`}>
          {offered.map((it) => (
            <option key={it} value={it}>
              {resourceWords(t, list, it)}
            </option>
          ))}
        </datalist>
      </div>
      <div role="status">
        <Wrong error={answer.error} />
        {answer.isLoading && <Waiting rows={1} />}
        {found && member && (
          <Verdict
            organization={organization}
            answer={placed(found, draft)}
            member={member.name}
            action={actionWords(t, action)}
            resource={resourceWords(t, list, resource)}
          />
        )}
      </div>
    </div>
  );
}

/** Whom to ask about before anybody is chosen: who has the policy, or else the first of all. */
function useFirst(organization: string, policy: string | undefined, enabled: boolean) {
  const of = policy === undefined ? {} : { policy };
  const having = useInfiniteQuery({ ...membersQuery(organization, "", of), enabled });
  const all = useQuery({ ...someMembersQuery(organization, ""), enabled });
  if (having.isPending) return undefined;
  return having.data?.pages[0]?.items[0] ?? all.data?.[0];
}

interface VerdictProps {
  organization: string;
  answer: Schemas["Answer"];
  member: string;
  action: string;
  resource: string;
}

function Verdict({ organization, answer, member, action, resource }: VerdictProps) {
  const { t } = useTranslation();
  const { allowed, by } = answer;
  const policies = useQuery(policiesQuery(organization));
  const slots = { member, action, resource };
  let why: ReactNode = t("tester.unmentioned");
  if (by) {
    const { policy, statement } = by;
    const link = (
      <Link to="/$organization/settings/policies/$policy" params={{ organization, policy }}>
        {policyName(t, policy, policies.data?.find((it) => it.key === policy)?.name)}
      </Link>
    );
    const text = t(allowed ? "tester.allowedBy" : "tester.deniedBy", { number: statement + 1 });
    why = <Sentence text={text} parts={{ policy: link }} />;
  }
  return (
    <div className={classes.verdict} data-allowed={allowed || undefined}>
      <strong>{t(allowed ? "tester.may" : "tester.mayNot", slots)}</strong>
      <p>{why}</p>
    </div>
  );
}
