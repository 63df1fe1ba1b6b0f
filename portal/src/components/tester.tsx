import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { actionWords, policyName, resourceWords } from "@/lib/access";
import type { Schemas } from "@/lib/api/client";
import { actionsQuery, everybodyQuery } from "@/lib/api/people";
import { permissionsQuery } from "@/lib/api/permissions";
import { useFormat } from "@/lib/format";
import { useResources } from "./resources";
import { SelectField } from "./select-field";
import { Sentence } from "./sentence";
import { Waiting, Wrong } from "./states";
import classes from "./tester.module.css";

interface Props {
  organization: string;
  /** Of whom it is asked; chosen where none is given. */
  member?: Schemas["MemberView"];
}

/** Can this member do X on Y, and why: asked of the server, as it is now. */
export function Tester({ organization, member: given }: Props) {
  const { t } = useTranslation();
  const { list } = useFormat();
  const id = useId();
  const actions = useQuery(actionsQuery);
  const everybody = useQuery({ ...everybodyQuery(organization), enabled: given === undefined });
  const offered = useResources(organization, "questions");
  const [chosen, setChosen] = useState("");
  const [action, setAction] = useState("flag.turnOn");
  const [typed, setTyped] = useState<string>();
  const resource = typed ?? offered[0] ?? "";
  const people = everybody.data ?? [];
  const member = given ?? people.find((it) => it.id === chosen) ?? people[0];
  const asked = resource === "" || member === undefined ? [] : [{ action, resource }];
  const answer = useQuery({
    ...permissionsQuery(organization, asked, member?.id),
    retry: false,
  });
  const found = answer.data?.[0];
  return (
    <div className={classes.tester}>
      <div className={classes.question}>
        {given === undefined && (
          <SelectField
            label={t("tester.member")}
            value={member?.id ?? ""}
            onChange={(event) => setChosen(event.target.value)}
          >
            {people.map((it) => (
              <option key={it.id} value={it.id}>
                {it.name}
              </option>
            ))}
          </SelectField>
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
            answer={found}
            member={member.name}
            action={actionWords(t, action)}
            resource={resourceWords(t, list, resource)}
          />
        )}
      </div>
    </div>
  );
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
  const slots = { member, action, resource };
  let why: ReactNode = t("tester.unmentioned");
  if (by) {
    const { policy, statement } = by;
    const link = (
      <Link to="/$organization/settings/policies/$policy" params={{ organization, policy }}>
        {policyName(t, policy)}
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
