import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { changeQuery } from "@/lib/api/changes";
import { ChangeEntry } from "./change-entry";
import { Delivery } from "./delivery/delivery";
import { SidePanel } from "./side-panel";
import { Failure, Waiting } from "./states";

interface Props {
  organization: string;
  number: number;
  close: () => void;
}

/** What somebody changed, beside the list; and the way back. */
export function ChangePanel({ organization, number, close }: Props) {
  const { t } = useTranslation();
  const change = useQuery(changeQuery(organization, String(number)));
  return (
    <SidePanel title={t("history.change")} close={close} width={480}>
      {change.isPending && <Waiting rows={4} />}
      {change.error && <Failure error={change.error} retry={() => void change.refetch()} />}
      {change.data && (
        <>
          <ol>
            <ChangeEntry organization={organization} change={change.data} />
          </ol>
          <Delivery key={change.data.id} organization={organization} change={change.data} />
        </>
      )}
    </SidePanel>
  );
}
