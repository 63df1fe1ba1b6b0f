import { Drawer } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import classes from "./side-panel.module.css";

interface Props {
  title: ReactNode;
  close: () => void;
  /** In pixels, where the screen has them. */
  width?: number;
  children: ReactNode;
}

/** What is made or looked at beside the page that it belongs to. Escape closes it. */
export function SidePanel({ title, close, width = 440, children }: Props) {
  const { t } = useTranslation();
  return (
    <Drawer
      opened
      onClose={close}
      // By the key that was pressed in it, and not anywhere: what was opened from it is closed first.
      closeOnEscape={false}
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.nativeEvent.isComposing) close();
      }}
      position="right"
      size={width}
      title={title}
      closeButtonProps={{ "aria-label": t("action.dismiss") }}
    >
      <div className={classes.panel}>{children}</div>
    </Drawer>
  );
}
