import { Suspense, lazy } from "react";
import { withWords } from "@/i18n";
import type { Schemas } from "@/lib/api/client";
import type { RowShared } from "./row";

const Quick = lazy(() => import("./quick").then((it) => ({ default: it.Quick })));
const Others = lazy(() =>
  withWords("list", import("./others")).then((it) => ({ default: it.Others })),
);
const RowMenu = lazy(() =>
  withWords("list", import("./row-menu")).then((it) => ({ default: it.RowMenu })),
);

/** Where a popover is open, and which. */
export type Opened = { anchor: HTMLElement; flag: string } & (
  { kind: "cell"; environment: string } | { kind: "others" | "menu" }
);

interface Props extends RowShared {
  index: Schemas["FlagIndex"];
  opened: Opened | undefined;
  close: () => void;
}

/** The one popover of the list: rows only say what it is about. */
export function Popups({ index, opened, close, ...props }: Props) {
  const item = index.items.find((it) => it.key === opened?.flag);
  if (!opened || !item) return null;
  return (
    <Suspense>
      {opened.kind === "cell" && (
        <Quick
          key={`${opened.flag} ${opened.environment}`}
          organization={props.organization}
          project={props.project}
          anchor={opened.anchor}
          flag={opened.flag}
          environment={opened.environment}
          close={close}
        />
      )}
      {opened.kind === "others" && (
        <Others
          organization={props.organization}
          project={props.project}
          anchor={opened.anchor}
          flag={opened.flag}
          choose={(environment) =>
            props.open({ kind: "cell", anchor: opened.anchor, flag: opened.flag, environment })
          }
          close={close}
        />
      )}
      {opened.kind === "menu" && (
        <RowMenu {...props} anchor={opened.anchor} item={item} close={close} />
      )}
    </Suspense>
  );
}
