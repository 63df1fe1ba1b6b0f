import { Modal } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

interface Props {
  title: ReactNode;
  close: () => void;
  /** In pixels, where the screen has them. */
  width?: number;
  children: ReactNode;
}

/** What has to be answered before anything else. */
export function Dialog({ title, close, width = 440, children }: Props) {
  const { t } = useTranslation();
  return (
    <Modal
      opened
      onClose={close}
      title={title}
      size={width}
      closeButtonProps={{ "aria-label": t("action.dismiss") }}
    >
      {children}
    </Modal>
  );
}
