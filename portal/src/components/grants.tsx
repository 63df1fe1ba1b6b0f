import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { policyHelp, policyName } from "@/lib/access";
import { groupsQuery, policiesQuery } from "@/lib/api/people";
import { CheckList } from "./check-list";

export interface Granted {
  policies: string[];
  groups: string[];
}

interface Props {
  organization: string;
  granted: Granted;
  change: (granted: Granted) => void;
  /** Policies alone, as groups and tokens have them. */
  only?: "policies";
}

/** What somebody gets: policies, and groups with theirs. */
export function Grants({ organization, granted, change, only }: Props) {
  const { t } = useTranslation();
  const policies = useQuery(policiesQuery(organization));
  const groups = useQuery({ ...groupsQuery(organization), enabled: only === undefined });
  // What may not be seen, but is there, stays chosen.
  const named = (keys: string[], known: string[]) => keys.filter((it) => !known.includes(it));
  const known = policies.data ?? [];
  const unseen = named(
    granted.policies,
    known.map((it) => it.key),
  );
  return (
    <>
      {only === undefined && (
        <CheckList
          label={t("people.groups")}
          none={t("people.noGroup")}
          choices={(groups.data ?? []).map((it) => ({ ...it, help: it.description }))}
          chosen={granted.groups}
          change={(groups) => change({ ...granted, groups })}
        />
      )}
      <CheckList
        label={t(only === undefined ? "people.direct" : "people.policies")}
        none={t("people.noPolicy")}
        choices={[
          ...known.map(({ key, name, description }) => ({
            key,
            name: policyName(t, key, name),
            help: policyHelp(t, key, description),
          })),
          ...unseen.map((key) => ({ key, name: policyName(t, key) })),
        ]}
        chosen={granted.policies}
        change={(policies) => change({ ...granted, policies })}
      />
    </>
  );
}
