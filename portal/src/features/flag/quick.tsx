import { useTranslation } from "react-i18next";
import { Anchored } from "@/components/anchored";
import { QuickEdit } from "@/components/quick-edit";

interface Props {
  organization: string;
  project: string;
  environment: string;
  flag: string;
  anchor: HTMLElement;
  want?: boolean;
  share?: number;
  close: () => void;
}

/** The popover of the switch. */
export function Quick({ anchor, ...rest }: Props) {
  const { t } = useTranslation();
  const { flag, environment, close } = rest;
  return (
    <Anchored anchor={anchor} title={t("flags.inEnvironment", { flag, environment })} close={close}>
      <QuickEdit {...rest} />
    </Anchored>
  );
}
