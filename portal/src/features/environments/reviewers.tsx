import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { CheckList } from "@/components/check-list";
import { Failure, Waiting } from "@/components/states";
import { everybodyQuery, groupsQuery } from "@/lib/api/people";
import classes from "./environments.module.css";
import type { Fields } from "./rules-form";

interface Props {
  organization: string;
  value: Fields;
  set: (change: Partial<Fields>) => void;
}

/** Who may approve: all who may review, or some who are named. */
export function Reviewers({ organization, value, set }: Props) {
  const { t } = useTranslation();
  const choice = (named: boolean) => (
    <label className={classes.check}>
      <input
        type="radio"
        name="reviewers"
        checked={value.named === named}
        onChange={() => set({ named })}
      />
      <span>{t(named ? "environments.theseReview" : "environments.allReview")}</span>
    </label>
  );
  return (
    <fieldset className={classes.colour}>
      <legend>{t("environments.reviewers")}</legend>
      {choice(false)}
      {choice(true)}
      {value.named && <Named organization={organization} value={value} set={set} />}
    </fieldset>
  );
}

function Named({ organization, value, set }: Props) {
  const { t } = useTranslation();
  const groups = useQuery(groupsQuery(organization));
  const members = useQuery(everybodyQuery(organization));
  const error = groups.error ?? members.error;
  if (error) return <Failure error={error} retry={() => void members.refetch()} />;
  if (!groups.data || !members.data) return <Waiting rows={3} />;
  return (
    <div className={classes.reviewers}>
      <CheckList
        label={t("environments.groups")}
        choices={groups.data.map(({ key, name }) => ({ key, name }))}
        chosen={value.groups}
        change={(chosen) => set({ groups: chosen })}
        none={t("environments.noGroups")}
      />
      <CheckList
        label={t("environments.members")}
        choices={members.data.map(({ id, name, email }) => ({ key: id, name, help: email }))}
        chosen={value.members}
        change={(chosen) => set({ members: chosen })}
        none={t("environments.noMembers")}
      />
    </div>
  );
}
