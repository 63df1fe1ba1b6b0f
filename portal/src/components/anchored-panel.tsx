import { Drawer, Popover } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { type ReactNode, useEffect } from "react";
import { createPortal } from "react-dom";
import { useTranslation } from "react-i18next";
import classes from "./anchored-panel.module.css";

export interface Props {
  /** What it belongs to, and where focus goes back to. */
  anchor: HTMLElement;
  title: string;
  close: () => void;
  children: ReactNode;
}

/**
 * A small panel at an element; at the bottom of narrow screens. The element need not know: a list
 * has one of these, and not one a cell.
 */
export function AnchoredPanel({ anchor, title, close, children }: Props) {
  const { t } = useTranslation();
  const narrow = useMediaQuery("(max-width: 600px)", undefined, { getInitialValueInEffect: false });
  // However it is closed, by Escape or by a choice: unless somebody is elsewhere already.
  useEffect(
    () => () => void (document.activeElement === document.body && anchor.focus()),
    [anchor],
  );
  if (narrow) {
    return (
      <Drawer
        opened
        onClose={close}
        position="bottom"
        size="auto"
        // As high as what is in it.
        styles={{ content: { height: "auto", maxHeight: "85dvh" } }}
        title={title}
        closeButtonProps={{ "aria-label": t("action.dismiss") }}
      >
        {children}
      </Drawer>
    );
  }
  const { left, top, width, height } = anchor.getBoundingClientRect();
  // Beside everything: inside of what is moved by a transform, "fixed" is not where the window is.
  return createPortal(
    <Popover
      opened
      onChange={(opened) => {
        if (!opened) close();
      }}
      position="bottom-start"
      width={340}
      trapFocus
      // The target is nobody's button: it only lies where the button is.
      withRoles={false}
      shadow="md"
      transitionProps={{ duration: 0 }}
    >
      <Popover.Target>
        <span className={classes.target} style={{ left, top, width, height }} />
      </Popover.Target>
      <Popover.Dropdown
        role="dialog"
        aria-label={title}
        // Escape closes this, and not the panel that it was opened from too.
        onKeyDown={(event) => {
          if (event.key === "Escape") event.stopPropagation();
        }}
      >
        <h2 className={classes.title}>{title}</h2>
        {children}
      </Popover.Dropdown>
    </Popover>,
    document.body,
  );
}
