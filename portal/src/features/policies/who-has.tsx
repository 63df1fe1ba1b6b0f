import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { said } from "@/lib/problems";
import { everybodyQuery, groupsQuery } from "@/lib/api/people";
import classes from "./policies.module.css";

/** So many are named. */
const NAMED = 50;

/** Who has a policy: groups, and members directly. */
export function WhoHas({ organization, policy }: { organization: string; policy: string }) {
  const { t } = useTranslation();
  const groups = useQuery(groupsQuery(organization));
  const members = useQuery(everybodyQuery(organization));
  if (members.isError) return <p className={classes.hint}>{said(t, members.error).text}</p>;
  if (!groups.data || !members.data) return null;
  const inGroups = groups.data.filter((it) => it.policies.includes(policy));
  const direct = members.data.filter((it) => it.policies.includes(policy));
  if (inGroups.length + direct.length === 0) {
    return <p className={classes.hint}>{t("policy.nobody")}</p>;
  }
  const more = direct.length - NAMED;
  return (
    <ul className={classes.holders}>
      {inGroups.map((it) => (
        <li key={it.key}>
          <Link to="/$organization/settings/groups/$group" params={{ organization, group: it.key }}>
            {it.name}
          </Link>
          <small>
            {t("policy.groupOf", {
              count: members.data.filter((member) => member.groups.includes(it.key)).length,
            })}
          </small>
        </li>
      ))}
      {direct.slice(0, NAMED).map((it) => (
        <li key={it.id}>
          <Link
            to="/$organization/settings/members/$member"
            params={{ organization, member: it.id }}
          >
            {it.name}
          </Link>
        </li>
      ))}
      {more > 0 && <li>{t("policy.andMore", { count: more })}</li>}
    </ul>
  );
}
