import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Wrong } from "@/components/states";
import { groupsQuery, membersQuery } from "@/lib/api/people";
import classes from "./policies.module.css";

/** Who has a policy: groups, and members directly. */
export function WhoHas({ organization, policy }: { organization: string; policy: string }) {
  const { t } = useTranslation();
  const groups = useQuery(groupsQuery(organization));
  const members = useInfiniteQuery(membersQuery(organization, "", { policy }));
  if (members.isError) return <Wrong error={members.error} />;
  if (!groups.data || !members.data) return null;
  const inGroups = groups.data.filter((it) => it.policies.includes(policy));
  const direct = members.data.pages.flatMap((it) => it.items);
  if (inGroups.length + direct.length === 0) {
    return <p className={classes.hint}>{t("policy.nobody")}</p>;
  }
  return (
    <>
      <ul className={classes.holders}>
        {inGroups.map((it) => (
          <li key={it.key}>
            <Link
              to="/$organization/settings/groups/$group"
              params={{ organization, group: it.key }}
            >
              {it.name}
            </Link>
            <small>{t("policy.asGroup")}</small>
          </li>
        ))}
        {direct.map((it) => (
          <li key={it.id}>
            <Link
              to="/$organization/settings/members/$member"
              params={{ organization, member: it.id }}
            >
              {it.name}
            </Link>
          </li>
        ))}
      </ul>
      {members.hasNextPage && (
        <div>
          <Button
            small
            busy={members.isFetchingNextPage}
            onClick={() => void members.fetchNextPage()}
          >
            {t("people.showMore")}
          </Button>
        </div>
      )}
    </>
  );
}
