import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { useLacking } from "@/components/may";
import { Refused } from "@/components/refused";
import { Waiting, Wrong } from "@/components/states";
import { type Schemas, api } from "@/lib/api/client";
import { everybodyQuery } from "@/lib/api/people";
import { toast } from "@/lib/toasts";
import classes from "./groups.module.css";

interface Props {
  organization: string;
  group: string;
}

/** So many are listed; more are searched for among the members. */
const LISTED = 200;

/** Who is in the group. Coming and going is a change of the member, done at once. */
export function GroupMembers({ organization, group }: Props) {
  const { t } = useTranslation();
  const id = useId();
  const queries = useQueryClient();
  const members = useQuery(everybodyQuery(organization));
  const [typed, setTyped] = useState("");
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
      setTyped("");
      toast(t(into ? "group.added" : "group.removed", { name: member.name }));
      await queries.invalidateQueries({ queryKey: ["members", organization] });
    },
  });
  if (members.isError) {
    return <Refused error={members.error} retry={() => void members.refetch()} needs={needs} />;
  }
  if (!members.data) return <Waiting rows={3} />;
  const inside = members.data.filter((it) => it.groups.includes(group));
  const outside = members.data.filter((it) => !it.groups.includes(group));
  const wanted = typed.trim().toLowerCase();
  const found = outside.find((it) =>
    [it.email, it.name].some((text) => text.toLowerCase() === wanted),
  );
  return (
    <div className={classes.members}>
      {inside.length === 0 && <p className={classes.help}>{t("group.nobody")}</p>}
      <ul>
        {inside.slice(0, LISTED).map((member) => (
          <li key={member.id} className={classes.member}>
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
        ))}
      </ul>
      {inside.length > LISTED && (
        <p className={classes.help}>{t("group.andMore", { count: inside.length - LISTED })}</p>
      )}
      <Wrong error={move.error} />
      <form
        className={classes.add}
        onSubmit={(event) => {
          event.preventDefault();
          if (found) move.mutate({ member: found, into: true });
        }}
      >
        <input
          aria-label={t("group.addWhom")}
          placeholder={t("group.addWhom")}
          list={id}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <datalist id={id}>
          {outside.slice(0, LISTED).map((it) => (
            <option key={it.id} value={it.email}>
              {it.name}
            </option>
          ))}
        </datalist>
        <Button
          type="submit"
          busy={move.isPending}
          lacking={lacking.update ?? (found ? undefined : t("group.whom"))}
        >
          {t("group.add")}
        </Button>
      </form>
    </div>
  );
}
