import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { EditForm } from "@/components/edit-form";
import { SidePanel } from "@/components/side-panel";
import { Failure, Waiting } from "@/components/states";
import type { Tagged } from "@/lib/api/client";
import { type RelayKey, relayKeyQuery, relayKeysQuery, saveRelayKey } from "@/lib/api/relays";
import { useEdits } from "@/lib/edits";
import { KeyFields } from "./fields";
import { editOf, typedOf } from "./relays";

interface Props {
  organization: string;
  of: RelayKey;
  close: () => void;
}

/** Another name for a key, or other environments. Its secret stays. */
export function EditKey({ organization, of, close }: Props) {
  const { t } = useTranslation();
  const found = useQuery(relayKeyQuery(organization, of.id));
  return (
    <SidePanel title={t("relays.editNamed", { name: of.name })} close={close} width={480}>
      {found.isError && <Failure error={found.error} retry={() => void found.refetch()} />}
      {found.isPending && <Waiting rows={4} />}
      {found.data && <Fields organization={organization} found={found.data} close={close} />}
    </SidePanel>
  );
}

interface FieldsProps {
  organization: string;
  found: Tagged<RelayKey>;
  close: () => void;
}

function Fields({ organization, found: { it: key, tag }, close }: FieldsProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const edits = useEdits(typedOf(key), tag);
  const { value, set } = edits;
  const empty = !value.all && value.chosen.length === 0 && key.scope.environments.length > 0;
  const { queryKey } = relayKeyQuery(organization, key.id);
  return (
    <EditForm
      command={t("relays.save", { name: key.name })}
      saved={t("relays.saved", { name: value.name.trim() })}
      save={async () => {
        await saveRelayKey(organization, key.id, editOf(value, key), edits.tag);
        await queries.invalidateQueries(relayKeysQuery(organization));
        close();
      }}
      dirty={edits.dirty}
      reset={edits.reset}
      again={async () => {
        await queries.refetchQueries({ queryKey });
        edits.rebase();
      }}
      lacking={empty ? t("relays.chooseOne") : undefined}
    >
      <KeyFields organization={organization} value={value} set={set} hidden={key.scope.hidden} />
    </EditForm>
  );
}
