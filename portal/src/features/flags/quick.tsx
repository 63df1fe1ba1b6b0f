import { useTranslation } from "react-i18next";
import { Anchored } from "@/components/anchored";
import { QuickEdit } from "@/components/quick-edit";

interface Props {
  organization: string;
  project: string;
  anchor: HTMLElement;
  flag: string;
  environment: string;
  close: () => void;
}

/** The popover of a cell. */
export function Quick({ anchor, ...of }: Props) {
  const { t } = useTranslation();
  const { flag, environment, close } = of;
  return (
    <Anchored anchor={anchor} title={t("flags.inEnvironment", { flag, environment })} close={close}>
      <QuickEdit {...of} />
    </Anchored>
  );
}
