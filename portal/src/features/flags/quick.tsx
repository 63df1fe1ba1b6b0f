import { useTranslation } from "react-i18next";
import { Anchored } from "@/components/anchored";
import { QuickEdit } from "@/components/quick-edit";
import type { Opened } from "./list";

interface Props {
  organization: string;
  project: string;
  opened: Opened;
  close: () => void;
}

/** The popover of a cell. */
export function Quick({ organization, project, opened, close }: Props) {
  const { t } = useTranslation();
  const { anchor, flag, environment } = opened;
  return (
    <Anchored anchor={anchor} title={t("flags.inEnvironment", { flag, environment })} close={close}>
      <QuickEdit
        organization={organization}
        project={project}
        environment={environment}
        flag={flag}
        close={close}
      />
    </Anchored>
  );
}
