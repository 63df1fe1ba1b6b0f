import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { EditForm } from "@/components/edit-form";
import { AreaField, TextField } from "@/components/field";
import { Grants } from "@/components/grants";
import { type Schemas, type Tagged, api, ifMatch, taggedOf } from "@/lib/api/client";
import { groupQuery, groupsQuery } from "@/lib/api/people";
import { useEdits } from "@/lib/edits";

interface Props {
  organization: string;
  found: Tagged<Schemas["GroupView"]>;
  lacking: string | undefined;
}

/** A group's name, and what its members have by it. */
export function EditGroup({ organization, found, lacking }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { it: group, tag } = found;
  const { key, name, description, policies } = group;
  const edits = useEdits({ name, description, policies }, tag);
  const { value, set } = edits;
  const { queryKey } = groupQuery(organization, key);
  async function save() {
    const params = { path: { group: key } };
    const body = value;
    const headers = ifMatch(edits.tag);
    const answer = await api(organization).PUT("/api/v1/groups/{group}", { params, body, headers });
    queries.setQueryData(queryKey, taggedOf(answer));
    edits.reset();
    await queries.invalidateQueries({ queryKey: groupsQuery(organization).queryKey });
    await queries.invalidateQueries({ queryKey: ["permissions", organization] });
  }
  return (
    <EditForm
      command={t("group.save", { key })}
      saved={t("group.saved", { key })}
      save={save}
      dirty={edits.dirty}
      reset={edits.reset}
      again={async () => {
        await queries.refetchQueries({ queryKey });
        edits.rebase();
      }}
      lacking={lacking}
    >
      <TextField
        label={t("group.name")}
        required
        maxLength={256}
        value={value.name}
        onChange={(event) => set({ name: event.target.value })}
      />
      <AreaField
        label={t("policy.description")}
        value={value.description}
        onChange={(event) => set({ description: event.target.value })}
      />
      <Grants
        organization={organization}
        only="policies"
        granted={{ policies: value.policies, groups: [] }}
        change={(it) => set({ policies: it.policies })}
      />
    </EditForm>
  );
}
