import { lazy } from "react";
import { withWords } from "@/i18n";

export type { Choice } from "./picker-panel";

/** One or several of many, found by typing; loaded when it is first opened. */
export const Picker = lazy(() =>
  withWords("picker", import("./picker-panel")).then((it) => ({ default: it.PickerPanel })),
);
