import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { useLacking } from "@/components/may";
import { MemberField } from "@/components/member-field";
import { Refused } from "@/components/refused";
import { Waiting, Wrong } from "@/components/states";
import { VirtualList } from "@/components/virtual-list";
import { type Schemas, api } from "@/lib/api/client";
import { membersQuery } from "@/lib/api/people";
import { toast } from "@/lib/toasts";
import classes from "./groups.module.css";

interface Props {
  organization: string;
  group: string;
}

/** Who is in the group. Coming and going is a change of the member, done at once. */
export function GroupMembers({ organization, group }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const members = useInfiniteQuery(membersQuery(organization, "", { group }));
  const needs = { action: "member.read", resource: "member/*" };
  const lacking = useLacking(organization, {
    update: { action: "member.update", resource: "member/*" },
  });
  const move = useMutation({
    mutationFn: async ({ member, into }: { member: Schemas["MemberView"]; into: boolean }) => {
      const others = member.groups.filter((it) => it !== group);
      const body = { policies: member.policies, groups: into ? [...others, group] : others };
      const params = { path: { id: member.id } };
      await api(organization).PUT("/api/v1/members/{id}", { params, body });
    },
    onSuccess: async (_, { member, into }) => {
      toast(t(into ? "group.added" : "group.removed", { name: member.name }));
      await queries.invalidateQueries({ queryKey: ["members", organization] });
    },
  });
  if (members.isError) {
    return <Refused error={members.error} retry={() => void members.refetch()} needs={needs} />;
  }
  if (!members.data) return <Waiting rows={3} />;
  const inside = members.data.pages.flatMap((it) => it.items);
  return (
    <div className={classes.members}>
      {inside.length === 0 && <p className={classes.help}>{t("group.nobody")}</p>}
      <VirtualList label={t("group.members")} items={inside} keyOf={(it) => it.id} estimate={37}>
        {(member) => (
          <li className={classes.member}>
            <Link
              to="/$organization/settings/members/$member"
              params={{ organization, member: member.id }}
            >
              {member.name}
            </Link>
            {member.name !== member.email && <small>{member.email}</small>}
            <Button
              small
              look="quiet"
              lacking={lacking.update}
              aria-label={t("group.takeOutOf", { name: member.name })}
              onClick={() => move.mutate({ member, into: false })}
            >
              {t("group.takeOut")}
            </Button>
          </li>
        )}
      </VirtualList>
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
      <Wrong error={move.error} />
      {lacking.update === undefined ? (
        <MemberField
          organization={organization}
          label={t("group.add")}
          choose={(member) => move.mutate({ member, into: true })}
          without={(it) => it.groups.includes(group)}
        />
      ) : (
        <p className={classes.help}>{lacking.update}</p>
      )}
    </div>
  );
}
