import { Modal } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { QuickEdit } from "@/components/quick-edit";

interface Props {
  organization: string;
  project: string;
  environment: string;
  flag: string;
  want?: boolean;
  share?: number;
  close: () => void;
}

/** The gesture that a command names, with its effect, before it is done. */
export function QuickModal(props: Props) {
  const { t } = useTranslation();
  const { flag, environment } = props;
  return (
    <Modal
      opened
      onClose={props.close}
      title={t("flags.inEnvironment", { flag, environment })}
      closeButtonProps={{ "aria-label": t("action.dismiss") }}
    >
      <QuickEdit {...props} />
    </Modal>
  );
}
